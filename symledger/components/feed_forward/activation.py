"""A nonlinearity on its own: a scalar function of every element, or one with weights or a gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Rational

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Function, act
from symledger.ir.functions import leaky
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, drawn, join, narrow, param, view

LOWEST, HIGHEST = Rational(1, 8), Rational(1, 3)


@dataclass(frozen=True)
class Activation(Component):
    """A scalar function of every element; nothing is learned, nothing is contracted.

    Kept for the backward pass is the result of relu, tanh and sigmoid, the argument of the others.
    Some are made of several operations, as in PyTorch: softsign keeps x and 1 + |x|, tanhshrink
    the hyperbolic tangent; ``gelu_new``, ``gelu_fast``, ``gelu_python``, ``gelu_10``,
    ``quick_gelu``, ``laplace``, ``relu2`` and ``sqrtsoftplus`` are written so in Hugging Face's
    transformers, where ``linear`` is its argument. Scaled ones have a constant other than 1
    (α of elu and celu, β of softplus): here 1/2.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 6.3.
    """

    function: Function = "relu"

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "a scalar function of every element"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 6.3",
        "Hendrycks, Gimpel, Gaussian Error Linear Units (2016)",
        "Clevert et al., Exponential Linear Units (2016); Klambauer et al., Self-Normalizing Neural"
        " Networks (2017); Howard et al., Searching for MobileNetV3 (2019); Misra, Mish (2019)",
    )

    def forward(self, x: Tensor) -> Steps:
        return steps(y=act(self.function, x))


@dataclass(frozen=True)
class PReLU(Component):
    """x where it is positive, a x elsewhere, with a learned a for all channels or for each.

    A channel has n positions, of a sequence, an image or a volume.
    Source: He et al., *Delving Deep into Rectifiers* (2015), section 2.1.
    """

    C: Expr = sizes.C
    by_channel: bool = False

    signature: ClassVar[str] = "B C n -> B C n"
    title: ClassVar[str] = "rectifier with a learned slope below zero"
    references: ClassVar[tuple[str, ...]] = (
        "He et al., Delving Deep into Rectifiers (2015), section 2.1",
    )

    def forward(self, x: Tensor) -> Steps:
        a = param("a", self.C if self.by_channel else 1)
        return steps(a=a, y=pointwise(leaky(), x, view("c -> c ()", a)))


@dataclass(frozen=True)
class RandomizedReLU(Component):
    """x where it is positive, a x elsewhere, with a drawn anew for each element while training.

    Drawn between an eighth and a third. Kept are x and a.
    Source: Xu et al., *Empirical Evaluation of Rectified Activations* (2015), section 2.4.
    """

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "rectifier with a random slope below zero"
    references: ClassVar[tuple[str, ...]] = (
        "Xu et al., Empirical Evaluation of Rectified Activations in Convolutional Network (2015), "
        "section 2.4",
    )

    def forward(self, x: Tensor) -> Steps:
        a = drawn("u", *x.shape) * (HIGHEST - LOWEST) + LOWEST
        return steps(a=a, y=pointwise(leaky(), x, a))


@dataclass(frozen=True)
class GLU(Component):
    """The first half of the last axis, multiplied by the sigmoid of the second half.

    Fused: it keeps its input, and computes the sigmoid again.
    Source: Dauphin et al., *Language Modeling with Gated Convolutional Networks* (2017), section 2.
    """

    d: Expr = sizes.d
    two: ClassVar[Expr] = Integer(2)

    signature: ClassVar[str] = "... (two d) -> ... d"
    title: ClassVar[str] = "one half multiplied by the sigmoid of the other"
    references: ClassVar[tuple[str, ...]] = (
        "Dauphin et al., Language Modeling with Gated Convolutional Networks (2017), section 2",
    )

    def forward(self, x: Tensor) -> Steps:
        first, second = self.halves(x)
        return steps(y=first * apply("sigmoid", second))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: s dy for the first half, dy a (s − s²) for the second."""
        first, second = self.halves(at.x)
        s = apply("sigmoid", second)
        return {"x": join([dy * s, dy * first * (s - s * s)])}

    def halves(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Cut the last axis in two."""
        return narrow(x, -1, 0, self.d), narrow(x, -1, self.d, self.d)
