"""Layer normalization and root-mean-square normalization of the last axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Rational

from symledger import sizes
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, mean, over_rows, param, statistic

EPSILON = Rational(1, 10**5)
"""Added to the variance or the mean square, so that its root can be divided by."""


def scaled(n: Tensor, weights: Mapping[str, Tensor]) -> Tensor:
    """Scale by g and shift by b, where there are such weights."""
    y = n * weights["g"] if "g" in weights else n
    return y + weights["b"] if "b" in weights else y


@dataclass(frozen=True)
class LayerNorm(Component):
    """Centre the last axis, divide by its standard deviation, then scale by g and shift by b.

    Without ``affine`` there is neither g nor b; without ``bias`` there is no b.
    Fused: kept are the input and two statistics, the mean and the reciprocal deviation.
    Source: Ba, Kiros, Hinton, *Layer Normalization* (2016), equation 4.
    """

    d: Expr = sizes.d
    affine: bool = True
    bias: bool = True

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "centred and scaled to unit variance along the last axis"
    references: ClassVar[tuple[str, ...]] = (
        "Ba, Kiros, Hinton, Layer Normalization (2016), equation 4",
    )

    def forward(self, x: Tensor) -> Steps:
        weights = {"g": param("g", self.d)} if self.affine else {}
        if self.affine and self.bias:
            weights["b"] = param("b", self.d)
        mu = statistic(mean(x))
        c = x - mu
        r = statistic(apply("rsqrt", mean(apply("square", c)) + EPSILON))
        return steps(**weights, mu=mu, r=r, y=scaled(c * r, weights))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − mean(u) − n mean(u n)), with n the normalized x, u = dy g."""
        n = (at.x - at.mu) * at.r
        u = dy * at.g if self.affine else dy
        found = {"x": (u - mean(u) - n * mean(u * n)) * at.r}
        if self.affine:
            found["g"] = over_rows(dy * n)
        return {**found, "b": over_rows(dy)} if self.affine and self.bias else found


@dataclass(frozen=True)
class RMSNorm(Component):
    """Divide the last axis by its root mean square, then scale by g. It does not centre.

    Without ``affine`` there is no g.
    Fused: kept are the input and one statistic, the reciprocal root mean square.
    Source: Zhang, Sennrich, *Root Mean Square Layer Normalization* (2019), equation 4.
    """

    d: Expr = sizes.d
    affine: bool = True

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "scaled to unit root mean square along the last axis"
    references: ClassVar[tuple[str, ...]] = (
        "Zhang, Sennrich, Root Mean Square Layer Normalization (2019), equation 4",
    )

    def forward(self, x: Tensor) -> Steps:
        weights = {"g": param("g", self.d)} if self.affine else {}
        r = statistic(apply("rsqrt", mean(apply("square", x)) + EPSILON))
        return steps(**weights, r=r, y=scaled(x * r, weights))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − n mean(u n)), with n the normalized x, u = dy g."""
        n = at.x * at.r
        u = dy * at.g if self.affine else dy
        dx = (u - n * mean(u * n)) * at.r
        return {"x": dx, "g": over_rows(dy * n)} if self.affine else {"x": dx}


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

