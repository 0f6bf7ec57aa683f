"""What is done to every element: arithmetic, by tensors and by numbers."""

from __future__ import annotations

from functools import reduce
from typing import Any

from sympy import Expr, Integer, Mod, Piecewise, floor, log

from symledger.ir import functions, scalars
from symledger.ir.ops import Repeat
from symledger.ir.scalars import RESULT, Scalar, X, Y, Z
from symledger.ir.shapes import ONE, broadcast
from symledger.ir.tensor import Tensor, pointwise
from symledger.traces.rules.table import At, Made, number, rule


def each(at: At, code: Scalar, *args: Any) -> Tensor:
    """Apply code to tensors, element by element; numbers among its arguments are put in.

    What comes out holds what PyTorch says: numbers, whole numbers, or truths.
    """
    held = {s: number(a) for s, a in zip(code.args, args, strict=True) if not isinstance(a, Tensor)}
    tensors = unrepeated([a for a in args if isinstance(a, Tensor)])
    if not held:
        return pointwise(code, *tensors, storage=at.storage)
    free = [s for s in code.args if s not in held]
    named = dict(zip(free, (X, Y, Z), strict=False))
    value = code.value.xreplace(held).xreplace(named)
    args_ = tuple(named[s] for s in free)
    slope = code.slope_in_result if code.slope_in_result == 0 else None
    return pointwise(Scalar(args_, value, slope), *tensors, storage=at.storage)


def unrepeated(tensors: list[Tensor]) -> list[Tensor]:
    """Return tensors without the copies along axes that others have anyway: PyTorch makes none."""
    whole = reduce(broadcast, (t.shape for t in tensors))
    for i, t in enumerate(tensors):
        if isinstance(t.op, Repeat):
            fewer = [*tensors[:i], t.args[0], *tensors[i + 1 :]]
            tensors = fewer if reduce(broadcast, (x.shape for x in fewer)) == whole else tensors
    return tensors


def _scaled(other: Any, alpha: Any) -> Any:
    times = number(alpha)
    if times == ONE:
        return other
    return other * times if isinstance(other, Tensor) else number(other) * times


@rule("aten.add")
def add(at: At, self: Any, other: Any, alpha: Any = 1) -> Made:
    """Add."""
    return each(at, scalars.ADD, self, _scaled(other, alpha))


@rule("aten.sub")
def sub(at: At, self: Any, other: Any, alpha: Any = 1) -> Made:
    """Subtract."""
    return each(at, scalars.SUBTRACT, self, _scaled(other, alpha))


@rule("aten.rsub")
def rsub(at: At, self: Any, other: Any, alpha: Any = 1) -> Made:
    """Subtract the first from the second."""
    return each(at, scalars.SUBTRACT, other, _scaled(self, alpha))


@rule("aten.mul")
def mul(at: At, self: Any, other: Any) -> Made:
    """Multiply."""
    return each(at, scalars.MULTIPLY, self, other)


@rule("aten.div")
def div(at: At, self: Any, other: Any, rounding_mode: Any = None) -> Made:
    """Divide, and round where that is said."""
    if rounding_mode is not None:
        return each(at, rounded(X / Y, str(rounding_mode)), self, other)
    if not isinstance(other, Tensor):
        return each(at, scalars.MULTIPLY, self, 1 / number(other))
    return each(at, scalars.DIVIDE, self, other)


@rule("aten.floor_divide")
def floor_divide(at: At, self: Any, other: Any) -> Made:
    """Divide, and round down."""
    return each(at, rounded(X / Y, "floor"), self, other)


def rounded(value: Expr, mode: str) -> Scalar:
    """Return code that rounds down, up, or towards zero (``trunc``): it has no slope."""
    down, up = floor(value), -floor(-value)
    found = {"floor": down, "ceil": up, "trunc": Piecewise((down, value > 0), (up, True))}[mode]
    args = tuple(s for s in (X, Y) if s in value.free_symbols)
    return Scalar(args, found, Integer(0))


@rule("aten.floor", "aten.ceil", "aten.trunc")
def floored(at: At, self: Tensor) -> Made:
    """Round; no gradient goes back."""
    return each(at, rounded(X, at.operation.rpartition(".")[2]), self)


@rule("aten.remainder")
def remainder(at: At, self: Any, other: Any) -> Made:
    """What is left of a division; of a number that does not vary."""
    if isinstance(other, Tensor) or not isinstance(self, Tensor):
        raise at.refused("the remainder by a tensor is not understood: divide by a number.")
    return pointwise(Scalar((X,), Mod(X, number(other)), ONE), self, storage=at.storage)


@rule("aten.neg")
def neg(at: At, self: Tensor) -> Made:
    """Turn the sign."""
    return each(at, scalars.NEGATE, self)


@rule("aten.sign", "aten.sgn")
def sign(at: At, self: Tensor) -> Made:
    """Say on which side of zero it is; no gradient goes back."""
    return each(at, Scalar((X,), Piecewise((1, X > 0), (-1, X < 0), (0, True))), self)


@rule("aten.pow")
def power(at: At, self: Any, exponent: Any) -> Made:
    """Raise to a power; of a number to a tensor's, the result is kept, as PyTorch does."""
    if isinstance(self, Tensor) and isinstance(exponent, Tensor):
        return each(at, Scalar((X, Y), X**Y), self, exponent)
    if isinstance(self, Tensor):
        return each(at, Scalar((X,), X ** number(exponent)), self)
    return exponential(at, number(self), exponent)


@rule("aten.exp2")
def exp2(at: At, self: Tensor) -> Made:
    """Raise 2 to a power."""
    return exponential(at, Integer(2), self)


def exponential(at: At, base: Expr, x: Tensor) -> Tensor:
    """Raise a number to a tensor's power."""
    if base.is_positive is not True:
        raise at.refused("a power of a number that is not positive is not understood.")
    return pointwise(Scalar((X,), base**X, RESULT * log(base)), x, storage=at.storage)


@rule("aten.maximum", "aten.minimum")
def larger(at: At, self: Tensor, other: Tensor) -> Made:
    """Take the larger, or the smaller, of two."""
    first = X > Y if at.operation == "aten.maximum" else X < Y
    return each(at, Scalar((X, Y), Piecewise((X, first), (Y, True))), self, other)


@rule("aten.lerp")
def lerp(at: At, self: Tensor, end: Tensor, weight: Any) -> Made:
    """Go part of the way from one to the other."""
    return each(at, Scalar((X, Y, Z), X + Z * (Y - X)), self, end, weight)


@rule("aten.addcmul")
def addcmul(at: At, self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Made:
    """Add a product."""
    return each(at, Scalar((X, Y, Z), X + number(value) * Y * Z), self, tensor1, tensor2)


@rule("aten.addcdiv")
def addcdiv(at: At, self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Made:
    """Add a quotient."""
    return each(at, Scalar((X, Y, Z), X + number(value) * Y / Z), self, tensor1, tensor2)


@rule("aten.xlogy")
def xlogy(at: At, self: Any, other: Any) -> Made:
    """x·log(y), and zero where x is."""
    return each(at, Scalar((X, Y), Piecewise((X * log(Y), X > 0), (0, True))), self, other)


@rule("aten._to_copy", "aten._to_copy_")
def to_copy(at: At, self: Tensor, **others: Any) -> Made:
    """Write the elements down as another type: floats as whole numbers are cut off at the point."""
    if at.storage == "mask" and self.storage != "mask":
        return each(at, Scalar((X,), Piecewise((1, X > 0), (1, X < 0), (0, True))), self)
    if at.storage == "index" and self.storage in ("value", "statistic"):
        return each(at, rounded(X, "trunc"), self)
    return each(at, scalars.COPY, self)


@rule("aten.reciprocal")
def reciprocal(at: At, self: Tensor) -> Made:
    """Divide 1 by it."""
    return each(at, Scalar((X,), 1 / X, -(RESULT**2)), self)


@rule("aten.square")
def square(at: At, self: Tensor) -> Made:
    """Multiply by itself."""
    return each(at, functions.function("square"), self)
