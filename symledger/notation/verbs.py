"""The verbs that definitions are written with. Each makes one operation (or a few).

Axes are spoken of in patterns: ``einsum`` contracts, ``view`` splits, permutes and merges.
Sums, means and maxima run along the last axis, which stays with length 1, so that
``x - mean(x)`` reads as it is meant.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from symledger.ir import functions, scalars
from symledger.ir.ops import Rearrange
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.einsum import einsum
from symledger.notation.indexing import gather, join, narrow, pad, scatter, take
from symledger.notation.leaves import drawn, indices, noise, param, remembered, table
from symledger.notation.loops import repeat, scan
from symledger.notation.reductions import argmax, expand, maximum, mean, over_rows, reduce, total
from symledger.notation.solving import solve
from symledger.notation.view import view

__all__ = [  # noqa: RUF022  # in the order of the API page
    "param", "table", "indices", "noise", "drawn", "remembered", "einsum", "view",
    "total", "reduce", "over_rows", "mean", "expand", "maximum", "argmax", "narrow", "pad",
    "join", "gather", "take", "scatter", "solve", "repeat", "scan", "apply", "copied", "statistic",
    "state",
]  # fmt: skip


def apply(function: str, x: Tensor) -> Tensor:
    """A named scalar function (``relu``, ``gelu``, ``rsqrt`` …) of every element."""
    return pointwise(functions.function(function), x)


def copied(x: Tensor) -> Tensor:
    """The same elements written down once more: a tensor of its own, no view."""
    return pointwise(scalars.COPY, x, storage=x.storage)


def statistic(x: Tensor) -> Tensor:
    """The same tensor, kept as a statistic: 4 bytes an element whatever the values have."""
    return replace(x, storage="statistic")


def state(x: Tensor, last: Expr | None = None) -> Tensor:
    """The same tensor, marked as kept between decoding steps (the key/value cache).

    Given ``last``, only that many positions of its axis 1 are kept: those in a window.
    """
    kept = x.shape[1] if last is None else last
    names = tuple((f"_{i}",) for i in range(x.rank))
    lengths = tuple((f"_{i}", n) for i, n in enumerate(x.shape))
    return Tensor(Rearrange(names, names, lengths), (x,), x.shape, x.storage, state=kept)
