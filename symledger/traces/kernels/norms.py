"""Layer normalization with weights that are given, as PyTorch's kernel keeps and pulls it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.norms.norms import EPSILON
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, mean, over_rows, statistic, total


@dataclass(frozen=True)
class LayerNormed(Component):
    """Centre the last axis, divide by its deviation, then scale and shift by what is given.

    Kept are the input and two statistics. Source: as ``LayerNorm``.
    """

    d: Expr = sizes.d
    epsilon: Expr = EPSILON
    affine: bool = True
    bias: bool = True

    signature: ClassVar[str] = "... d, d, d -> ... d"

    def forward(self, x: Tensor, g: Tensor | None = None, b: Tensor | None = None) -> Steps:
        mu = statistic(mean(x))
        c = x - mu
        r = statistic(apply("rsqrt", mean(apply("square", c)) + self.epsilon))
        y = c * r if g is None else c * r * g
        return steps(mu=mu, r=r, y=y if b is None else y + b)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − mean(u) − n mean(u n)), with n the normalized x, u = dy g."""
        n = (at.x - at.mu) * at.r
        u = dy * at.g if self.affine else dy
        found = {"x": (u - mean(u) - n * mean(u * n)) * at.r}
        if self.affine:
            found["g"] = over_rows(dy * n)
        return {**found, "b": over_rows(dy)} if self.bias else found


@dataclass(frozen=True)
class RMSNormed(Component):
    """Divide the last axis by its root mean square, then scale by what is given.

    Kept are the input and one statistic. Source: as ``RMSNorm``.
    """

    d: Expr = sizes.d
    epsilon: Expr = EPSILON
    affine: bool = True

    signature: ClassVar[str] = "... d, d -> ... d"

    def forward(self, x: Tensor, g: Tensor | None = None) -> Steps:
        r = statistic(apply("rsqrt", mean(apply("square", x)) + self.epsilon))
        return steps(r=r, y=x * r if g is None else x * r * g)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − n mean(u n)), with n the normalized x, u = dy g."""
        n = at.x * at.r
        u = dy * at.g if self.affine else dy
        found = {"x": (u - n * mean(u * n)) * at.r}
        return {**found, "g": over_rows(dy * n)} if self.affine else found


@dataclass(frozen=True)
class WeightNormed(Component):
    """Give each row of a weight v the length g; kept are both, and the lengths of v.

    Source: Salimans and Kingma, *Weight Normalization* (2016), equations 2 and 3.
    """

    signature: ClassVar[str] = "n m, n one -> n m"

    def forward(self, v: Tensor, g: Tensor) -> Steps:
        length = apply("sqrt", total(apply("square", v)))
        return steps(length=length, y=v * (g / length))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dg = Σ dy v/|v|, dv = g/|v| (dy − v/|v| dg)."""
        dg = total(dy * at.v) / at.length
        return {"v": (dy - at.v * (dg / at.length)) * (at.g / at.length), "g": dg}
