"""A pass of inference: what enters a module, and what it keeps of one token for those behind it.

Classes of transformers keep keys and values in a cache that they are given back, as
``past_key_values``: a dynamic one, or a static one, of a length that is a size of its own. Other
modules read tokens, and keep nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from inspect import signature
from typing import Any

import torch

from symledger.errors import BadInput
from symledger.traces.alive import DECODE, STATIC, How
from symledger.tracing.eager.lengths import LENGTH
from symledger.tracing.modules.subject import Entering, Subject

PAST = "past_key_values"
"""The argument that a class takes the cache by, and what it is called among the results."""


def prompt(
    subject: Subject, module: torch.nn.Module, at: Mapping[str, int], how: How
) -> tuple[Subject, dict[str, torch.Tensor], Iterable[tuple[str, torch.Tensor]]]:
    """Return how a module is run in a pass, what enters it, and what it has kept before.

    To decode is to read the last of T tokens: those before are read here.

    Raises:
        BadInput: a token cannot be decoded by itself.
    """
    keeps = PAST in signature(type(module).forward).parameters
    if not keeps and how.serving == DECODE:
        raise BadInput(
            f"{subject.name}.forward takes no {PAST}: what it keeps between tokens is not known."
        )
    extra = {**subject.extra, "use_cache": True}
    if how.cache == STATIC:
        extra[PAST] = static(subject, module, at[LENGTH])
    keeping = replace(subject, extra=extra) if keeps else subject
    if how.serving != DECODE:
        return keeping, {x.name: x.made(at) for x in subject.inputs}, ()
    tokens, axis = _tokens(subject)
    before = {tokens.name: tokens.made({**at, axis: at[axis] - 1})}
    past = keeping.run(module, before)[PAST]
    one = replace(tokens, axes=(tokens.axes[0], "1")).made(at)
    decoding = replace(keeping, extra={**extra, PAST: past})
    kept = ((f"{PAST}.{i}", x) for i, x in enumerate(remembered(past)))
    return decoding, {tokens.name: one}, kept


def static(subject: Subject, module: torch.nn.Module, positions: int) -> Any:
    """Return a static cache of so many positions, as transformers makes it for a module.

    Raises:
        BadInput: it is no class of transformers, or a window decides what it keeps.
    """
    config = getattr(module, "config", None)
    if not type(module).__module__.startswith("transformers."):
        raise BadInput(
            f"{subject.name} is no class of transformers, whose static cache is meant: leave out "
            "--cache static."
        )
    if getattr(config, "is_encoder_decoder", False):
        raise BadInput(
            f"{subject.name} is given two caches, for its own tokens and for its source: those "
            "that are static are not looked at."
        )
    caches: Any = sys.modules["transformers.cache_utils"]  # the class is of transformers
    made = caches.StaticCache(config=config, max_cache_len=positions)
    if any(type(layer).__name__ != "StaticLayer" for layer in made.layers):
        raise BadInput(
            f"{subject.name} has layers of which a static cache keeps a window, or a state: these "
            "are not looked at."
        )
    return made


def tokens_axis(subject: Subject) -> str:
    """Return the axis along which tokens enter.

    Raises:
        BadInput: something else enters.
    """
    return _tokens(subject)[1]


def _tokens(subject: Subject) -> tuple[Entering, str]:
    """Return the tokens that enter, and the axis along which they are.

    Raises:
        BadInput: something else enters.
    """
    first, *others = subject.inputs
    if others or len(first.axes) != 2 or first.axes[1].isdecimal():  # (B, T)
        raise BadInput(f"{subject.name} reads more than tokens: decoding is looked at of these.")
    return first, first.axes[1]


def answered(result: Any) -> Iterator[torch.Tensor]:
    """Yield what a pass has kept for the tokens behind, if it has."""
    if isinstance(result, Mapping):
        yield from remembered(result.get(PAST))


def remembered(cache: Any) -> Iterator[torch.Tensor]:
    """Yield keys and values of a cache, of a decoder's own tokens and of its source."""
    if cache is None:
        return
    for part in ("self_attention_cache", "cross_attention_cache"):
        if hasattr(cache, part):
            yield from remembered(getattr(cache, part))
    for layer in getattr(cache, "layers", ()):
        for name in ("keys", "values", "cumulative_length"):
            x = getattr(layer, name, None)
            if isinstance(x, torch.Tensor):
                yield x
