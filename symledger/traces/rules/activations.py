"""Functions of one number: exponentials, roots, and the activations of networks."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Piecewise, cos, erf, exp, log, oo, sin

from symledger.ir import functions
from symledger.ir.scalars import RESULT, Scalar, X, Y, Z
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import narrow
from symledger.traces.rules.pointwise import each
from symledger.traces.rules.table import At, Made, axis_of, number, rule

NAMED = {
    "aten.exp": "exp", "aten.log": "log", "aten.sin": "sin", "aten.cos": "cos",
    "aten.sqrt": "sqrt", "aten.rsqrt": "rsqrt", "aten.erf": "erf", "aten.relu": "relu",
    "aten.tanh": "tanh", "aten.sigmoid": "sigmoid", "aten.silu": "silu", "aten.abs": "abs",
    "aten.mish": "mish", "aten.hardswish": "hardswish", "aten.relu6": "relu6",
    "aten.hardsigmoid": "hardsigmoid", "aten.log_sigmoid_forward": "log_sigmoid",
}  # fmt: skip
"""Operations that are scalar functions by name."""
WRITTEN: dict[str, Expr] = {
    "aten.log1p": log(1 + X), "aten.expm1": exp(X) - 1, "aten.log2": log(X) / log(2),
    "aten.log10": log(X) / log(10), "aten.erfc": 1 - erf(X), "aten.tan": sin(X) / cos(X),
    "aten.sinh": (exp(X) - exp(-X)) / 2, "aten.cosh": (exp(X) + exp(-X)) / 2,
}  # fmt: skip
"""Operations that are made of these."""


@rule(*NAMED)
def function(at: At, self: Tensor) -> Made:
    """Apply a function by its name."""
    return each(at, functions.function(NAMED[at.operation]), self)


@rule(*WRITTEN)
def written(at: At, self: Tensor) -> Made:
    """Apply a function that is made of others."""
    return each(at, Scalar((X,), WRITTEN[at.operation]), self)


@rule("aten.gelu")
def gelu(at: At, self: Tensor, approximate: str = "none") -> Made:
    """Apply GELU, exact or by the hyperbolic tangent."""
    return each(at, functions.function("gelu" if approximate == "none" else "gelu_tanh"), self)


@rule("aten.clamp")
def clamp(at: At, self: Tensor, min: Any = None, max: Any = None) -> Made:  # noqa: A002  # PyTorch's names
    """Cut off below and above."""
    cases = [] if min is None else [(Y, X < Y)]
    cases += [] if max is None else [(Z, X > Z)]
    code = Scalar((X, Y, Z), Piecewise(*cases, (X, True)))
    return each(at, code, self, -oo if min is None else min, oo if max is None else max)


@rule("aten.clamp_min")
def clamp_min(at: At, self: Tensor, min: Any) -> Made:  # noqa: A002
    """Cut off below."""
    return clamp(at, self, min=min)


@rule("aten.clamp_max")
def clamp_max(at: At, self: Tensor, max: Any) -> Made:  # noqa: A002
    """Cut off above."""
    return clamp(at, self, max=max)


@rule("aten.hardtanh")
def hardtanh(at: At, self: Tensor, min_val: Any = -1, max_val: Any = 1) -> Made:
    """Cut off at two numbers."""
    return clamp(at, self, min_val, max_val)


@rule("aten.threshold")
def threshold(at: At, self: Tensor, threshold: Any, value: Any) -> Made:
    """Put a number where it is not above another one."""
    ramp = Piecewise((X, X - number(threshold) > 0), (number(value), True))
    return each(at, Scalar((X,), ramp), self)


@rule("aten.leaky_relu")
def leaky_relu(at: At, self: Tensor, negative_slope: Any = 0.01, in_place: bool = False) -> Made:
    """Multiply by a number what is below zero; in place, kept is what comes out."""
    if not in_place:
        return each(at, functions.leaky(), self, negative_slope)
    n = number(negative_slope)
    slope = Piecewise((1, RESULT > 0), (n, True))
    return each(at, Scalar((X,), Piecewise((X, X > 0), (X * n, True)), slope), self)


@rule("aten._prelu_kernel")
def prelu(at: At, self: Tensor, weight: Tensor) -> Made:
    """Multiply by a weight what is below zero."""
    return each(at, functions.leaky(), self, weight)


@rule("aten.rrelu_with_noise")
def rrelu(at: At, self: Tensor, noise: Any, lower: Any, upper: Any, training: Any = False) -> Made:
    """Outside of training, multiply by the middle of two numbers what is below zero."""
    if training:
        raise at.refused("slopes that are drawn at random are not understood.")
    return each(at, functions.leaky(), self, (number(lower) + number(upper)) / 2)


@rule("aten.elu")
def elu(at: At, self: Tensor, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Made:
    """ELU, and SELU, which is one: below zero an exponential less 1."""
    a, s, t = number(alpha), number(scale), number(input_scale)
    return each(at, Scalar((X,), Piecewise((s * X, X > 0), (s * a * (exp(t * X) - 1), True))), self)


@rule("aten.celu")
def celu(at: At, self: Tensor, alpha: Any = 1) -> Made:
    """An exponential below zero, whose slope there is 1."""
    a = number(alpha)
    return each(at, Scalar((X,), Piecewise((X, X > 0), (a * (exp(X / a) - 1), True))), self)


@rule("aten.selu")
def selu(at: At, self: Tensor) -> Made:
    """ELU that keeps mean and variance."""
    return each(at, functions.function("selu"), self)


@rule("aten.softplus")
def softplus(at: At, self: Tensor, beta: Any = 1, threshold: Any = 20) -> Made:
    """A smooth ramp, which is the identity far above zero."""
    b = number(beta)
    ramp = Piecewise((X, b * X > number(threshold)), (log(1 + exp(b * X)) / b, True))
    return each(at, Scalar((X,), ramp), self)


@rule("aten.hardshrink")
def hardshrink(at: At, self: Tensor, lambd: Any = 0.5) -> Made:
    """Put zero where it is near zero."""
    n = number(lambd)
    return each(at, Scalar((X,), Piecewise((X, X - n > 0), (X, X + n < 0), (0, True))), self)


@rule("aten.softshrink")
def softshrink(at: At, self: Tensor, lambd: Any = 0.5) -> Made:
    """Move towards zero by a number, and stop there."""
    n = number(lambd)
    moved = Piecewise((X - n, X - n > 0), (X + n, X + n < 0), (0, True))
    return each(at, Scalar((X,), moved), self)


@rule("aten.logit")
def logit(at: At, self: Tensor, eps: Any = None) -> Made:
    """The logarithm of odds."""
    odds = log(X / (1 - X))
    if eps is not None:
        e = number(eps)
        low, high = odds.xreplace({X: e}), odds.xreplace({X: 1 - e})
        odds = Piecewise((low, X - e < 0), (high, X - 1 + e > 0), (odds, True))
    return each(at, Scalar((X,), odds), self)


@rule("aten.glu")
def glu(at: At, self: Tensor, dim: Any = -1) -> Made:
    """Multiply one half of an axis by the sigmoid of the other half."""
    place = axis_of(dim, self.rank)
    half = at.shape[place]
    value, gate = narrow(self, place, 0, half), narrow(self, place, half, half)
    return each(at, Scalar((X, Y), X / (1 + exp(-Y))), value, gate)
