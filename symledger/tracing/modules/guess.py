"""What enters a module, where nobody said: told from its first layer, or asked for."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import torch
from sympy import Symbol
from torch.nn.utils.parametrize import is_parametrized

from symledger.errors import BadInput
from symledger.tracing.modules.listening import Heard, listening
from symledger.tracing.modules.subject import Entering, Subject

TOKENS = ("int64", ("B", "T"))
PICKING = (torch.nn.Embedding, torch.nn.EmbeddingBag)
"""Layers that take whole numbers."""
DECODER = "decoder_input_ids"
"""What transformers' models of two halves take beside what the first half does."""
SIDES = ("image_size", "img_size")
"""What the side of square images is called."""
REAL = re.compile("pixel|image|img|features|input_values")
"""What inputs are called that are no whole numbers."""


def guessed(subject: Subject, values: dict[str, Any]) -> tuple[Entering, ...]:
    """Return what enters a module, by the first layer that it has.

    ``values`` are its arguments, which carry their names.

    Raises:
        BadInput: it cannot be told; the line to type.
    """
    with listening(subject.modules):
        module = subject.build(values)
    main = getattr(module, "main_input_name", "")
    parameters = inspect.signature(module.forward).parameters.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p.name for p in named if p.default is p.empty]
    names = [main] if main and not needed else needed
    axes = axes_of(module, names[0]) if len(names) == 1 else None
    if axes is None:
        asked = " ".join(f'--input "{n}: float (B, T, d)"' for n in names or ["x"])
        raise BadInput(
            f"what enters {subject.name} cannot be guessed: its forward takes "
            f"{', '.join(names) or 'nothing that it needs'}. Say types and lengths, as in {asked}; "
            "lengths are names of arguments, numbers, or names of your own."
        )
    first = Entering(names[0], axes[0], sided(subject, axes[1]))
    if DECODER not in {p.name for p in named} or names[0] == DECODER:
        return (first,)
    source = tuple("S" if a == "T" else a for a in first.axes)  # as encoders are written
    return Entering(first.name, first.dtype, source), Entering(DECODER, *TOKENS)


def sided(subject: Subject, axes: tuple[str, ...]) -> tuple[str, ...]:
    """Return axes with the argument in place of height and width that says how large images are."""
    sides = [n for n in SIDES if type(subject.arguments.get(n)) is int]
    return tuple(sides[0] if sides and a in ("H", "W") else a for a in axes)


def axes_of(module: torch.nn.Module, name: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the type and the axes of the tensor that enters, by the first layer there is.

    What is called like an image, or like features, enters no embedding.
    """
    for layer in first_layers(module):
        if isinstance(layer, PICKING) and REAL.search(name):
            continue
        if isinstance(layer, PICKING):
            return TOKENS
        if isinstance(layer, torch.nn.Conv1d):
            return "float", ("B", length(layer.in_channels), "T")
        if isinstance(layer, torch.nn.Conv2d):
            return "float", ("B", length(layer.in_channels), "H", "W")
        if isinstance(layer, torch.nn.Conv3d):
            return "float", ("B", length(layer.in_channels), "D", "H", "W")
        if isinstance(layer, torch.nn.Linear):
            return "float", ("B", "T", length(layer.in_features))
        if isinstance(layer, torch.nn.RNNBase):
            order = ("B", "T") if layer.batch_first else ("T", "B")
            return "float", (*order, length(layer.input_size))
        if isinstance(layer, torch.nn.MultiheadAttention):
            order = ("B", "T") if layer.batch_first else ("T", "B")
            return "float", (*order, length(layer.embed_dim))
    return None


def first_layers(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    """Yield the layers of a module in the order in which they were set, embeddings first."""
    layers = [m for m in module.modules() if next(m.children(), None) is None
              or isinstance(m, torch.nn.MultiheadAttention) or is_parametrized(m)]  # fmt: skip
    yield from (m for m in layers if isinstance(m, PICKING))
    yield from layers


def length(n: Any) -> str:
    """Return a length as it is typed: the argument that it is, else the number."""
    if isinstance(n, Heard) and isinstance(n.expression, Symbol):
        return str(n.expression)
    return str(int(n))
