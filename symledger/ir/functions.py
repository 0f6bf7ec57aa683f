"""Scalar functions by name: activations, losses, powers, some with a slope in their result."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sympy import Expr, Function, Piecewise, Rational, cos, erf, exp, log, pi, sin, sqrt, tanh

from symledger.errors import DefinitionError, nearest
from symledger.ir.scalars import ARGS, RESULT, Scalar, X, Y, Z

HALF = Rational(1, 2)
LOSSES: dict[str, Callable[[], Expr]] = {
    "mse": lambda: (X - Y) ** 2,
    "huber": lambda: Piecewise(
        (X - Y - HALF, X - Y > 1), (Y - X - HALF, X - Y < -1), (HALF * (X - Y) ** 2, True)
    ),
    "huber_scaled": lambda: Piecewise(
        (HALF * (X - Y - HALF / 2), X - Y > HALF), (HALF * (Y - X - HALF / 2), X - Y < -HALF),
        (HALF * (X - Y) ** 2, True)
    ),
    "bce": lambda: -Y * log(X) - (1 - Y) * log(1 - X),
    "bce_with_logits": lambda: log(1 + exp(-X)) + (1 - Y) * X,
    "kl_div": lambda: Y * (log(Y) - X),
}  # fmt: skip
"""What a prediction and a target cost."""
SELU = Rational(10507009873554805, 10**16)
SELU_ALPHA = Rational(16732632423543773, 10**16)
"""Klambauer et al., Self-Normalizing Neural Networks (2017), section 3: λ and α."""

FUNCTIONS: dict[str, Callable[[], tuple[Expr, Expr | None]]] = {
    "exp": lambda: (exp(X), RESULT),
    "log": lambda: (log(X), None),
    "sin": lambda: (sin(X), None),
    "cos": lambda: (cos(X), None),
    "square": lambda: (X**2, None),
    "three_quarters": lambda: (X ** Rational(3, 4), None),
    "cube": lambda: (X**3, None),
    "sqrt": lambda: (sqrt(X), 1 / (2 * RESULT)),
    "rsqrt": lambda: (1 / sqrt(X), -(RESULT**3) / 2),
    "erf": lambda: (erf(X), None),
    "relu": lambda: (
        Piecewise((X, X > 0), (0, True)), Piecewise((1, RESULT > 0), (0, True))
    ),
    "tanh": lambda: (tanh(X), 1 - RESULT**2),
    "sigmoid": lambda: (1 / (1 + exp(-X)), RESULT * (1 - RESULT)),
    "silu": lambda: (X / (1 + exp(-X)), None),
    "gelu": lambda: (X * (1 + erf(X / sqrt(2))) / 2, None),
    "gelu_tanh": lambda: (
        X * (1 + tanh(sqrt(2 / pi) * (X + Rational(44715, 10**6) * X**3))) / 2, None
    ),
    "abs": lambda: (Piecewise((X, X > 0), (-X, True)), None),
    "leaky_relu": lambda: (Piecewise((X, X > 0), (Rational(1, 100) * X, True)), None),
    "elu": lambda: (Piecewise((X, X > 0), (exp(X) - 1, True)), None),
    "elu_scaled": lambda: (Piecewise((X, X > 0), (HALF * (exp(X) - 1), True)), None),
    "celu": lambda: (Piecewise((X, X > 0), (HALF * (exp(2 * X) - 1), True)), None),
    "selu": lambda: (
        Piecewise((SELU * X, X > 0), (SELU * SELU_ALPHA * (exp(X) - 1), True)), None
    ),
    "relu6": lambda: (Piecewise((0, X < 0), (6, X > 6), (X, True)), None),
    "hardtanh": lambda: (Piecewise((-1, X < -1), (1, X > 1), (X, True)), None),
    "clamp": lambda: (Piecewise((-7, X < -7), (7, X > 7), (X, True)), None),
    "clamp_10": lambda: (Piecewise((-10, X < -10), (10, X > 10), (X, True)), None),
    "clamp_above": lambda: (Piecewise((7, X > 7), (X, True)), None),
    "hardsigmoid": lambda: (Piecewise((0, X < -3), (1, X > 3), ((X + 3) / 6, True)), None),
    "hardswish": lambda: (Piecewise((0, X < -3), (X, X > 3), (X * (X + 3) / 6, True)), None),
    "hardshrink": lambda: (Piecewise((X, X < -HALF), (X, X > HALF), (0, True)), None),
    "softshrink": lambda: (
        Piecewise((X + HALF, X < -HALF), (X - HALF, X > HALF), (0, True)), None
    ),
    "softplus": lambda: (Piecewise((X, X > 20), (log(1 + exp(X)), True)), None),
    "softplus_scaled": lambda: (
        Piecewise((X, X > 40), (2 * log(1 + exp(HALF * X)), True)), None
    ),
    "log_sigmoid": lambda: (-log(1 + exp(-X)), None),
    "mish": lambda: (X * tanh(log(1 + exp(X))), None),
}  # fmt: skip
"""Each function's value and, where it is written in its result, its slope."""


@cache
def leaky() -> Scalar:
    """Return the first argument where it is positive, else the product of both."""
    return Scalar((X, Y), Piecewise((X, X > 0), (X * Y, True)))


@cache
def larger() -> Scalar:
    """Return the larger one of two numbers."""
    return Scalar((X, Y), Piecewise((X, X > Y), (Y, True)))


@cache
def xielu() -> Scalar:
    """Return xIELU of an element and of two slopes.

    It is a parabola above zero and an integrated ELU below it, both with a slope of ½ at zero.
    Source: Huang and Schlag, *Deriving Activation Functions Using Integration* (2024),
    arXiv:2411.13010, with β = ½.
    """
    above, below = Y * X**2 + HALF * X, Z * (exp(X) - 1 - X) + HALF * X
    return Scalar((X, Y, Z), Piecewise((above, X > 0), (below, True)))


@cache
def unknown(name: str, number: int) -> Scalar:
    """Return a function of so many arguments of which nothing is known but its name."""
    args = ARGS[:number]
    return Scalar(args, Function(name)(*args))


@cache
def loss(name: str) -> Scalar:
    """Return what a prediction and a target cost, by its name in LOSSES."""
    return Scalar((X, Y), LOSSES[name]())


@cache
def function(name: str) -> Scalar:
    """Return a named scalar function of FUNCTIONS.

    ``relu``, ``tanh``, ``sigmoid``, ``exp``, ``sqrt`` and ``rsqrt`` state their slope in their
    result, as implementations do; a test proves with SymPy that this is that in the argument.
    """
    if name not in FUNCTIONS:
        raise DefinitionError(f"{name} is not a scalar function. {nearest(name, FUNCTIONS)}")
    value, slope = FUNCTIONS[name]()
    return Scalar((X,), value, slope, name)
