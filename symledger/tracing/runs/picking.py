"""Masks that pick elements: how many depends on what is true, which is known of tables alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from symledger.errors import BadInput
from symledger.tracing.runs.torch_version import COUNTING, without_modes

Value = Callable[[torch.Tensor], torch.Tensor | None]


def with_places(
    name: str, args: tuple[Any, ...], value: Value, where: Callable[[], str], real: bool = False
) -> tuple[Any, ...]:  # fmt: skip
    """Return the arguments of an operator with whole numbers in place of masks that are tables.

    ``value`` gives the elements of a tensor, where they are known; ``where`` says where we are; in
    a ``real`` run everything is known.

    Raises:
        BadInput: how much comes out depends on data.
    """
    if name in COUNTING and real:
        return args
    if name in COUNTING or (name == "aten.index" and any(map(is_mask, args[1]))):
        masks = [args[0]] if name in COUNTING else [m for m in args[1] if is_mask(m)]
        with without_modes():
            if name in COUNTING or any(value(m) is None for m in masks):
                raise BadInput(
                    f"{name} in {where()}: how much comes out depends on data. Multiply by the "
                    "mask, or choose with torch.where: then all sizes stay as they are."
                )
            found = [p for m in args[1] for p in (places(m, value) if is_mask(m) else [m])]
        return (args[0], found, *args[2:])
    return args


def is_mask(x: Any) -> bool:
    """Whether it is a tensor of truths."""
    return isinstance(x, torch.Tensor) and x.dtype == torch.bool


def places(mask: torch.Tensor, value: Value) -> list[torch.Tensor]:
    """Return where a mask is true, a tensor an axis, on its own device."""
    known = value(mask)
    assert known is not None
    return [p.to(mask.device) for p in torch.nonzero(known, as_tuple=True)]
