"""Learned augmented residuals: what is added to a layer's result is itself mapped, at low rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps


@dataclass(frozen=True)
class LowRankResidual(Component):
    """A residual path that adds to its input a map of it of rank d_r.

    The layer's own result is added to what this gives. With ``normed`` the map's result is
    normalized before it is added.
    Source: Menghani, Kumar, Kumar, *LAuReL: Learned Augmented Residual Layer* (2024), section
    2.1, the low-rank version; the norm: transformers 5.23, ``Gemma3nTextLaurelBlock``.
    """

    d: Expr = sizes.d
    d_r: Expr = sizes.d_r
    normed: bool = False

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "residual path with a learned map of low rank"
    references: ClassVar[tuple[str, ...]] = (
        "Menghani, Kumar, Kumar, LAuReL: Learned Augmented Residual Layer (2024), section 2.1",
        "transformers 5.23, Gemma3nTextLaurelBlock",
    )

    def forward(self, x: Tensor) -> Steps:
        low = Linear(self.d, self.d_r, bias=False)(x, name="down")
        wide = Linear(self.d_r, self.d, bias=False)(low, name="up")
        added = RMSNorm(self.d)(wide, name="norm") if self.normed else wide
        return steps(low=low, wide=wide, y=x + added)
