"""Weight normalization: a kernel as a direction and a length, each learned by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, param, statistic, total, view

ROWS = "o c k -> k (o c)"
BACK = "k (o c) -> o c k"
COLUMN = "k -> k ()"


@dataclass(frozen=True)
class WeightNorm(Component):
    """Scale what stands at each offset of a kernel to unit length, then by a gain for each offset.

    The kernel is a parameter of whoever uses it; the gains are kept here.
    Fused: kept are the kernel and one statistic for each offset, the reciprocal length.
    Source: Salimans, Kingma, *Weight Normalization* (2016), equation 2; Baevski et al.,
    *wav2vec 2.0* (2020), and its implementation, for a length of each offset.
    """

    C_out: Expr = sizes.C_out
    C: Expr = sizes.C
    K: Expr = sizes.K

    signature: ClassVar[str] = "C_out C K -> C_out C K"
    title: ClassVar[str] = "a kernel as directions of unit length, and a learned length of each"
    references: ClassVar[tuple[str, ...]] = (
        "Salimans, Kingma, Weight Normalization (2016), equation 2",
    )

    def forward(self, x: Tensor) -> Steps:
        g = param("g", self.K)
        rows = view(ROWS, x)
        r = statistic(apply("rsqrt", total(apply("square", rows))))
        return steps(g=g, r=r, y=self.kernel(rows * r * view(COLUMN, g)))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dg = n · dy, dx = r g (dy − n (n · dy)), with n the direction of x."""
        n = view(ROWS, at.x) * at.r
        rows = view(ROWS, dy)
        along = total(rows * n)
        dx = (rows - n * along) * (at.r * view(COLUMN, at.g))
        return {"x": self.kernel(dx), "g": view("k one -> (k one)", along)}

    def kernel(self, rows: Tensor) -> Tensor:
        """Turn one row for each offset back into a kernel."""
        return view(BACK, rows, o=self.C_out, c=self.C)
