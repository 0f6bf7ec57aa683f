"""What is done to every element: arithmetic, activations, choices by a mask."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Piecewise

from symledger.ir import functions, scalars
from symledger.ir.scalars import Scalar, X, Y
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise
from symledger.traces.rules.table import At, Made, number, rule


def _binary(code: Scalar, left: Any, right: Any) -> Tensor:
    """Apply code to two tensors, or to a tensor and a number on either side."""
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return pointwise(code, left, right)
    if isinstance(left, Tensor):
        return pointwise(code.with_constant(number(right)), left)
    held = code.value.xreplace({X: number(left)}).xreplace({Y: X})
    return pointwise(Scalar((X,), held), right)


def _scaled(other: Any, alpha: Any) -> Any:
    times = number(alpha)
    if times == ONE:
        return other
    return other * times if isinstance(other, Tensor) else number(other) * times


@rule("aten.add")
def add(at: At, self: Any, other: Any, alpha: Any = 1) -> Made:
    """Add."""
    return _binary(scalars.ADD, self, _scaled(other, alpha))


@rule("aten.sub")
def sub(at: At, self: Any, other: Any, alpha: Any = 1) -> Made:
    """Subtract."""
    return _binary(scalars.SUBTRACT, self, _scaled(other, alpha))


@rule("aten.rsub")
def rsub(at: At, self: Any, other: Any, alpha: Any = 1) -> Made:
    """Subtract the first from the second."""
    return _binary(scalars.SUBTRACT, other, _scaled(self, alpha))


@rule("aten.mul")
def mul(at: At, self: Any, other: Any) -> Made:
    """Multiply."""
    return _binary(scalars.MULTIPLY, self, other)


@rule("aten.div")
def div(at: At, self: Any, other: Any, rounding_mode: Any = None) -> Made:
    """Divide."""
    if rounding_mode is not None:
        raise at.refused("a division that is rounded is understood of fixed tables only.")
    if not isinstance(other, Tensor):
        return _binary(scalars.MULTIPLY, self, 1 / number(other))
    return _binary(scalars.DIVIDE, self, other)


@rule("aten.neg")
def neg(at: At, self: Tensor) -> Made:
    """Turn the sign."""
    return -self


@rule("aten.pow")
def power(at: At, self: Any, exponent: Any) -> Made:
    """Raise to a power that is a number."""
    if not isinstance(self, Tensor) or isinstance(exponent, Tensor):
        raise at.refused("a power of which the exponent is a tensor is not understood.")
    return pointwise(Scalar((X,), X ** number(exponent)), self)


NAMED = {
    "aten.exp": "exp", "aten.log": "log", "aten.sin": "sin", "aten.cos": "cos",
    "aten.sqrt": "sqrt", "aten.rsqrt": "rsqrt", "aten.erf": "erf", "aten.relu": "relu",
    "aten.tanh": "tanh", "aten.sigmoid": "sigmoid", "aten.silu": "silu", "aten.abs": "abs",
    "aten.mish": "mish", "aten.square": "square", "aten.hardswish": "hardswish",
    "aten.hardsigmoid": "hardsigmoid", "aten.log_sigmoid_forward": "log_sigmoid",
}  # fmt: skip
"""Operations of one argument that are scalar functions by name."""


@rule(*NAMED)
def function(at: At, self: Tensor) -> Made:
    """Apply a function by its name."""
    return pointwise(functions.function(NAMED[at.operation]), self)


@rule("aten.gelu")
def gelu(at: At, self: Tensor, approximate: str = "none") -> Made:
    """Apply GELU, exact or by the hyperbolic tangent."""
    name = "gelu" if approximate == "none" else "gelu_tanh"
    return pointwise(functions.function(name), self)


@rule("aten.reciprocal")
def reciprocal(at: At, self: Tensor) -> Made:
    """Divide 1 by it."""
    return 1 / self


@rule("aten.masked_fill")
def masked_fill(at: At, self: Tensor, mask: Tensor, value: Any) -> Made:
    """Put a number where a mask is true."""
    if isinstance(value, Tensor):
        raise at.refused("a value that is a tensor is not understood.")
    return pointwise(where(number(value)), self, mask)


def where(value: Expr) -> Scalar:
    """Return a number where the second argument is true, else the first."""
    return Scalar((X, Y), Piecewise((value, Y > 0), (X, True)))
