"""Masks: comparisons and logic, which have no gradient, and choices by them."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Piecewise

from symledger.ir.scalars import Scalar, X, Y, Z
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import table
from symledger.traces.rules.pointwise import each
from symledger.traces.rules.table import At, Made, number, rule

COMPARED: dict[str, Expr] = {
    "aten.lt": Piecewise((1, X < Y), (0, True)), "aten.le": Piecewise((0, X > Y), (1, True)),
    "aten.gt": Piecewise((1, X > Y), (0, True)), "aten.ge": Piecewise((0, X < Y), (1, True)),
    "aten.eq": Piecewise((0, X < Y), (0, X > Y), (1, True)),
    "aten.ne": Piecewise((1, X < Y), (1, X > Y), (0, True)),
}  # fmt: skip
JOINED: dict[str, Expr] = {
    "and": X * Y, "or": X + Y - X * Y, "xor": Piecewise((1, X < Y), (1, X > Y), (0, True)),
}  # fmt: skip
"""Of truths, which are 1 and 0."""


@rule(*COMPARED)
def compared(at: At, self: Any, other: Any) -> Made:
    """Say where one is less than another, equal to it, and so on."""
    if not isinstance(other, Tensor) and not number(other).is_finite:
        raise at.refused("a comparison with infinity is not understood.")
    return each(at, Scalar((X, Y), COMPARED[at.operation]), self, other)


@rule(*(f"aten.{kind}_{name}" for kind in ("logical", "bitwise") for name in JOINED))
def joined(at: At, self: Any, other: Any) -> Made:
    """Put two masks together."""
    return each(at, Scalar((X, Y), JOINED[at.operation.rpartition("_")[2]]),
                truth(at, self), truth(at, other))  # fmt: skip


@rule("aten.logical_not", "aten.bitwise_not")
def negated(at: At, self: Tensor) -> Made:
    """Turn a mask round."""
    return each(at, Scalar((X,), 1 - X), truth(at, self))


def truth(at: At, x: Any) -> Any:
    """Return a mask as it is; of numbers, whether they are not zero."""
    if not isinstance(x, Tensor) or x.storage == "mask":
        return x
    if "bitwise" in at.operation:
        raise at.refused("bits of whole numbers are not understood.")
    return each(at, Scalar((X,), Piecewise((1, X < 0), (1, X > 0), (0, True))), x)


@rule("aten.where")
def where(at: At, condition: Tensor, self: Any, other: Any) -> Made:
    """Take the one where a mask is true, else the other."""
    return each(at, Scalar((X, Y, Z), Piecewise((Y, X > 0), (Z, True))), condition, self, other)


@rule("aten.masked_fill")
def masked_fill(at: At, self: Tensor, mask: Tensor, value: Any) -> Made:
    """Put a number, or a tensor of one, where a mask is true."""
    return where(at, mask, value, self)


@rule("aten.tril", "aten.triu")
def triangle(at: At, self: Tensor, diagonal: Any = 0) -> Made:
    """Put zeros above, or below, a diagonal of matrices."""
    by = number(diagonal)
    lower = at.operation == "aten.tril"

    def kept(i: Expr, j: Expr) -> Expr:
        return Piecewise((1, j - i <= by if lower else j - i >= by), (0, True))

    mask = table("triangle", kept, *self.shape[-2:], storage="mask")
    return each(at, Scalar((X, Y), Piecewise((Y, X > 0), (0, True))), mask, self)
