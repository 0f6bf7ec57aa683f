"""What runs along axes: sums, means, variances, maxima, and what adds up step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer, Piecewise, oo

from symledger.ir.scalars import Scalar, X
from symledger.ir.shapes import ONE, product
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component
from symledger.notation.loops import scan
from symledger.notation.verbs import apply, argmax, maximum, table, total
from symledger.traces.kernels.statistics import (
    Extreme,
    Largest,
    LogSumExp,
    Norm,
    Running,
    RunningLog,
    Variance,
)
from symledger.traces.rules.table import At, Made, axes_of, axis_of, number, rule
from symledger.traces.rules.views import permuted, reshaped


def gathered(at: At, x: Tensor, dim: Any) -> Tensor:
    """Return a tensor with some axes put last, as one."""
    places = axes_of(dim, x.rank)
    if x.rank and places == (x.rank - 1,):
        return x
    others = [i for i in range(x.rank) if i not in places]
    moved = permuted(x, [*others, *places])
    length = product(tuple(x.shape[i] for i in places))
    return reshaped(at, moved, (*(x.shape[i] for i in others), length))


def number_of(x: Tensor, dim: Any) -> Expr:
    """Return how many elements some axes have together."""
    return product(tuple(x.shape[i] for i in axes_of(dim, x.rank)))


@rule("aten.sum")
def sum_(at: At, self: Tensor, dim: Any = None, keepdim: Any = False) -> Made:
    """Add up along some axes."""
    x = self if self.rank else reshaped(at, self, (ONE,))
    added = replace(total(x, axes_of(dim, x.rank)), storage=at.storage)
    return reshaped(at, added, at.shape)


@rule("aten.mean")
def mean(at: At, self: Tensor, dim: Any = None, keepdim: Any = False) -> Made:
    """Add up along some axes and divide by how many there are."""
    added = sum_(at, self, dim)
    assert isinstance(added, Tensor)
    found: Tensor = added * (1 / number_of(self, dim))
    return found


@rule("aten.var", "aten.std")
def variance(
    at: At, self: Tensor, dim: Any = None, unbiased: Any = True, correction: Any = None,
    keepdim: Any = False,
) -> Made:  # fmt: skip
    """The variance, or the standard deviation, along some axes."""
    x = gathered(at, self, dim)
    kernel = Variance(x.shape[-1], _correction(unbiased, correction), at.operation == "aten.std")
    return reshaped(at, kernel(x, name="variance"), at.shape)


@rule("aten.var_mean", "aten.std_mean")
def variance_and_mean(
    at: At, self: Tensor, dim: Any = None, unbiased: Any = True, correction: Any = None,
    keepdim: Any = False,
) -> Made:  # fmt: skip
    """Both of them."""
    x, root = gathered(at, self, dim), at.operation == "aten.std_mean"
    kernel = Variance(x.shape[-1], _correction(unbiased, correction), root)
    middle = mean(at, self, dim)
    assert isinstance(middle, Tensor)
    return reshaped(at, kernel(x, name="variance"), at.shape), middle


def _correction(unbiased: Any, correction: Any) -> Expr:
    return Integer(int(bool(unbiased))) if correction is None else number(correction)


@rule("aten.linalg_vector_norm", "aten.norm")
def norm(
    at: At, self: Tensor, ord: Any = 2, dim: Any = None, keepdim: Any = False, p: Any = None  # noqa: A002  # PyTorch's names
) -> Made:  # fmt: skip
    """The root of the sum of squares, the sum of lengths, or the greatest length."""
    order = number(ord if p is None else p)
    if order == 2:
        return reshaped(at, Norm()(gathered(at, self, dim), name="norm"), at.shape)
    if order == ONE:
        return sum_(at, apply("abs", self), dim)
    if order == oo:
        return extreme(at, apply("abs", self), dim)
    raise at.refused(f"a norm of order {order} is not understood: those of 1, 2 and ∞ are.")


@rule("aten.logsumexp")
def logsumexp(at: At, self: Tensor, dim: Any = None, keepdim: Any = False) -> Made:
    """The logarithm of the sum of exponentials along some axes."""
    return reshaped(at, LogSumExp()(gathered(at, self, dim), name="logsumexp"), at.shape)


@rule("aten.amax", "aten.amin")
def extreme(at: At, self: Tensor, dim: Any = None, keepdim: Any = False) -> Made:
    """The largest (or smallest) element along some axes."""
    least, x = at.operation in ("aten.amin", "aten.min"), gathered(at, self, dim)
    if at.storage == "value":
        return reshaped(at, Extreme(least)(x, name="least" if least else "largest"), at.shape)
    found = replace(maximum(negative(x) if least else x), storage=at.storage)
    return reshaped(at, negative(found) if least else found, at.shape)


@rule("aten.max", "aten.min")
def max_(at: At, self: Tensor, dim: Any = None, keepdim: Any = False) -> Made:
    """The largest (or smallest) element along one axis, and where it stands; or that of all."""
    least = at.operation == "aten.min"
    if dim is None:
        return extreme(at, self)
    x = gathered(at, negative(self) if least else self, dim)
    place, value = Largest().apply(x, name="largest")
    value = value if at.storage == "value" else replace(value, storage=at.storage)
    return (reshaped(at, negative(value) if least else value, at.shape),
            reshaped(at, place, at.shape))  # fmt: skip


def negative(x: Tensor) -> Tensor:
    """Turn the sign; whole numbers stay whole."""
    return pointwise(Scalar((X,), -X), x, storage=x.storage)


@rule("aten.argmax", "aten.argmin")
def arg(at: At, self: Tensor, dim: Any = None, keepdim: Any = False) -> Made:
    """Where the largest (or smallest) element stands."""
    x = negative(self) if at.operation == "aten.argmin" else self
    return reshaped(at, argmax(gathered(at, x, dim)), at.shape)


@rule("aten.any", "aten.all")
def any_(at: At, self: Tensor, dim: Any = None, keepdim: Any = False) -> Made:
    """Whether some (or all) elements are not zero."""
    no, yes = (1, 0) if at.operation == "aten.all" else (0, 1)
    seen = pointwise(Scalar((X,), Piecewise((yes, X > 0), (yes, X < 0), (no, True))), self,
                     storage="mask")  # fmt: skip
    found = replace(maximum(gathered(at, seen, dim)), storage="mask")
    made = found if yes else pointwise(Scalar((X,), 1 - X), found, storage="mask")
    return reshaped(at, made, at.shape)


STARTS: Mapping[str, Expr] = {
    "aten.cumsum": Integer(0), "aten.cumprod": ONE, "aten.logcumsumexp": -oo,
}  # fmt: skip
"""What nothing adds up to, nothing multiplies to, and the logarithm of nothing."""


@rule(*STARTS)
def running(at: At, self: Tensor, dim: Any) -> Made:
    """What has been added up so far, at every place of an axis, or multiplied, or so of logs."""
    start = STARTS[at.operation]
    place = axis_of(dim, self.rank)
    x = pointwise(Scalar((X,), X), self, storage="index") if self.storage == "mask" else self
    shape = (*x.shape[:place], *x.shape[place + 1 :])
    first = table("start", lambda *places: start, *shape, storage=x.storage)
    step: Component = RunningLog() if start == -oo else Running(start == ONE, x.storage)
    return scan(step, x.shape[place], (first,), name="running", over=(x,),
                axis=place)[1]  # fmt: skip
