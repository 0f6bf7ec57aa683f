"""What runs along an axis: sums, means, maxima, copies.

The axis stays with length 1, so that ``x - mean(x)`` reads as it is meant.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr

from symledger.ir import scalars
from symledger.ir.ops import Max, MaxIndex, Rearrange, Repeat, Sum
from symledger.ir.scalars import Scalar
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise


def total(x: Tensor, axes: tuple[int, ...] = (-1,)) -> Tensor:
    """The sum along some axes (the last one), kept with length 1."""
    places = tuple(sorted(axis % x.rank for axis in axes))
    shape = tuple(ONE if i in places else n for i, n in enumerate(x.shape))
    return Tensor(Sum(places), (x,), shape)


def reduce(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """The sum along some axes, which disappear."""
    summed = total(x, axes)
    names = tuple(f"_{i}" for i in range(x.rank))
    places = {axis % x.rank for axis in axes}
    before = tuple(() if i in places else (name,) for i, name in enumerate(names))
    after = tuple(group for group in before if group)
    kept = tuple((names[i], n) for i, n in enumerate(x.shape) if i not in places)
    return Tensor(Rearrange(before, after, kept), (summed,), tuple(n for _, n in kept))


def over_rows(x: Tensor) -> Tensor:
    """The sum over every axis but the last, as for the gradient of a weight of that length."""
    return reduce(x, tuple(range(x.rank - 1)))


def mean(x: Tensor) -> Tensor:
    """The mean along the last axis, kept with length 1."""
    return pointwise(_divided(x.shape[-1]), total(x))


@cache
def _divided(by: Expr) -> Scalar:
    """Multiply by one over a size; most lengths that a mean is taken along are alike."""
    return scalars.MULTIPLY.with_constant(ONE / by)


def expand(x: Tensor, shape: tuple[Expr, ...]) -> Tensor:
    """Copies of ``x`` along axes of length 1 and along new leading axes, up to ``shape``."""
    return x if x.shape == shape else Tensor(Repeat(), (x,), shape, x.storage)


def maximum(x: Tensor) -> Tensor:
    """The largest element along the last axis, kept with length 1."""
    return Tensor(Max(), (x,), (*x.shape[:-1], ONE))


def argmax(x: Tensor) -> Tensor:
    """Where the largest element along the last axis stands; found together with it."""
    return Tensor(MaxIndex(), (x,), (*x.shape[:-1], ONE), "index")
