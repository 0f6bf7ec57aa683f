"""Layer normalization and root-mean-square normalization of the last axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Rational

from symledger import sizes
from symledger.core.component import Component, Steps, steps
from symledger.core.fused import Values
from symledger.core.notation import apply, mean, over_rows, param, statistic
from symledger.core.tensor import Tensor

EPSILON = Rational(1, 10**5)
"""Added to the variance or the mean square, so that its root can be divided by."""


@dataclass(frozen=True)
class LayerNorm(Component):
    """Centre the last axis, divide by its standard deviation, then scale by g and shift by b.

    Fused: kept are the input and two statistics, the mean and the reciprocal deviation.
    Source: Ba, Kiros, Hinton, *Layer Normalization* (2016), equation 4.
    """

    d: Expr = sizes.d

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "centred and scaled to unit variance along the last axis"
    references: ClassVar[tuple[str, ...]] = (
        "Ba, Kiros, Hinton, Layer Normalization (2016), equation 4",
    )

    def forward(self, x: Tensor) -> Steps:
        g, b = param("g", self.d), param("b", self.d)
        mu = statistic(mean(x))
        c = x - mu
        r = statistic(apply("rsqrt", mean(apply("square", c)) + EPSILON))
        return steps(g=g, b=b, mu=mu, r=r, y=c * r * g + b)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − mean(u) − n mean(u n)), with n the normalized x, u = dy g."""
        n = (at.x - at.mu) * at.r
        u = dy * at.g
        dx = (u - mean(u) - n * mean(u * n)) * at.r
        return {"x": dx, "g": over_rows(dy * n), "b": over_rows(dy)}


@dataclass(frozen=True)
class RMSNorm(Component):
    """Divide the last axis by its root mean square, then scale by g. It does not centre.

    Fused: kept are the input and one statistic, the reciprocal root mean square.
    Source: Zhang, Sennrich, *Root Mean Square Layer Normalization* (2019), equation 4.
    """

    d: Expr = sizes.d

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "scaled to unit root mean square along the last axis"
    references: ClassVar[tuple[str, ...]] = (
        "Zhang, Sennrich, Root Mean Square Layer Normalization (2019), equation 4",
    )

    def forward(self, x: Tensor) -> Steps:
        g = param("g", self.d)
        r = statistic(apply("rsqrt", mean(apply("square", x)) + EPSILON))
        return steps(g=g, r=r, y=x * r * g)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − n mean(u n)), with n the normalized x, u = dy g."""
        n = at.x * at.r
        u = dy * at.g
        return {"x": (u - n * mean(u * n)) * at.r, "g": over_rows(dy * n)}


@dataclass(frozen=True)
class ComposedRMSNorm(Component):
    """The same norm, operation by operation: nothing is fused.

    Kept are the input, the reciprocal root mean square, and the normalized input as well.
    Source: ``LlamaRMSNorm`` of Hugging Face's transformers, and Zhang, Sennrich (2019).
    """

    d: Expr = sizes.d

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "scaled to unit root mean square, operation by operation"
    references: ClassVar[tuple[str, ...]] = RMSNorm.references

    def forward(self, x: Tensor) -> Steps:
        r = statistic(apply("rsqrt", mean(apply("square", x)) + EPSILON))
        n = x * r
        return steps(r=r, n=n, y=n * param("g", self.d))

