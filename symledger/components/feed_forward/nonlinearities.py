"""The nonlinearities that networks are made with, by name, as PyTorch computes each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from sympy import Expr, Rational, pi, sqrt

from symledger.ir.building import inside
from symledger.ir.functions import leaky, unknown, xielu
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.products import narrowed
from symledger.notation.recompute import part
from symledger.notation.verbs import apply, param


@dataclass(frozen=True)
class Seldom:
    """Of a choice: values that are seldom made, but these, are not tried one by one.

    So are those that change something only beside another choice. One that ``decides`` a size and
    changes no formula needs no evidence of its own.
    """

    but: tuple[str, ...] = ()
    decides: bool = False


Function = Literal[
    "relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid", "leaky_relu", "elu", "selu", "relu6",
    "hardtanh", "hardsigmoid", "hardswish", "hardshrink", "softshrink", "softplus", "log_sigmoid",
    "mish", "softsign", "tanhshrink", "elu_scaled", "celu", "softplus_scaled",
    "gelu_new", "quick_gelu", "gelu_fast", "gelu_python", "gelu_10", "laplace", "linear", "relu2",
    "sqrtsoftplus",
]  # fmt: skip
"""Functions of each element without weights; those of the last two lines are several operations."""
Learned = Literal["prelu", "xielu"]
"""Those with weights: a slope below zero; a slope on either side."""
OFTEN = ("relu", "gelu", "gelu_tanh", "gelu_new", "quick_gelu", "silu")
Activation = Annotated[Literal[Function, Learned, "unknown"], Seldom(but=OFTEN)]
"""What a network may have between its maps. An ``unknown`` one is any function of each element
without weights: what is multiplied does not depend on it, what it keeps does."""
Gating = Annotated[Literal[Function, Learned, "unknown"], Seldom()]
"""The same, of what nearly always has its usual one."""
Plain = Annotated[Literal[Function, "unknown"], Seldom()]
"""The same without weights, where one is used in several places."""


def act(kind: str, u: Tensor) -> Tensor:
    """Apply a nonlinearity: fused, keeping one tensor, or operation by operation.

    ``gelu_new`` is u/2 · (1 + tanh(√(2/π)(u + 0.044715u³))) as Hugging Face's GPT-2 computes it,
    which keeps u, the hyperbolic tangent and both factors of the last product. ``quick_gelu`` is
    u σ(1.702u), which keeps both factors.
    """
    if kind in STEPS:
        return STEPS[kind](u)
    return apply(kind, u)


def gated(
    kind: str, gate: Callable[[], Tensor], up: Callable[[], Tensor]
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return a gate φ(u), what it multiplies, and the product, which keeps u, φ(u) and v.

    A plan may have it run again as ``gating``: then u and v are kept, as operands of maps are.
    """
    again = part("gating")
    if again is None:
        g, v = act(kind, gate()), up()
        return g, v, g * v
    u, v = narrowed(gate()), narrowed(up())
    with inside(again):
        g = act(kind, u)
        return g, v, g * v


def _quick_gelu(u: Tensor) -> Tensor:
    gated: Tensor = u * apply("sigmoid", u * Rational(1702, 1000))
    return gated


def _halved(u: Tensor, s: Tensor) -> Tensor:
    """The last product of every GELU in steps: u/2 · (1 + s)."""
    product: Tensor = u * Rational(1, 2) * (s + 1)
    return product


CUBED = Rational(44715, 10**6)
ROOT: Expr = sqrt(2 / pi)


def _gelu_new(u: Tensor) -> Tensor:
    return _halved(u, apply("tanh", (u + apply("cube", u) * CUBED) * ROOT))


def _gelu_fast(u: Tensor) -> Tensor:
    return _halved(u, apply("tanh", u * ROOT * (u * CUBED * u + 1)))


def _gelu_python(u: Tensor) -> Tensor:
    return _halved(u, apply("erf", u * (1 / sqrt(2))))


def _laplace(u: Tensor) -> Tensor:
    """½(1 + erf((u − µ)/(σ√2))): Ma et al., Mega (2023), section 3.2."""
    mean, deviation = Rational(707107, 10**6), Rational(282095, 10**6)
    s = apply("erf", (u - mean) * (1 / (deviation * sqrt(2))))
    y: Tensor = (s + 1) * Rational(1, 2)
    return y


def _softsign(u: Tensor) -> Tensor:
    y: Tensor = u / (apply("abs", u) + 1)
    return y


def _tanhshrink(u: Tensor) -> Tensor:
    y: Tensor = u - apply("tanh", u)
    return y


def _xielu(u: Tensor) -> Tensor:
    """Slopes are held as numbers of which the softplus is taken; the one below zero is over ½."""
    above, below = (apply("softplus", param(name, 1)) for name in ("a_p", "a_n"))
    return pointwise(xielu(), u, above, below + Rational(1, 2))


STEPS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "quick_gelu": _quick_gelu,
    "gelu_new": _gelu_new,
    "gelu_fast": _gelu_fast,
    "gelu_python": _gelu_python,
    "gelu_10": lambda u: apply("clamp_10", apply("gelu", u)),
    "laplace": _laplace,
    "linear": lambda u: u,
    "relu2": lambda u: apply("square", apply("relu", u)),
    "sqrtsoftplus": lambda u: apply("sqrt", apply("softplus", u)),
    "softsign": _softsign,
    "tanhshrink": _tanhshrink,
    "prelu": lambda u: pointwise(leaky(), u, param("a", 1)),
    "xielu": _xielu,
    "unknown": lambda u: pointwise(unknown("unknown", 1), u),
}
"""Those that are several operations, or have weights, or are not known."""
