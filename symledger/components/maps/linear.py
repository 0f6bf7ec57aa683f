"""The affine map, of which almost every weight in a network is a part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, param


@dataclass(frozen=True)
class Linear(Component):
    """An affine map of the last axis: y = xW + b.

    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 6.1.
    """

    d_in: Expr = sizes.d_in
    d_out: Expr = sizes.d_out
    bias: bool = True

    signature: ClassVar[str] = "... d_in -> ... d_out"
    title: ClassVar[str] = "affine map of the last axis"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 6.1",
    )

    def forward(self, x: Tensor) -> Steps:
        W = param("W", self.d_in, self.d_out)
        y = einsum("... i, i o -> ... o", x, W)
        return steps(y=y + param("b", self.d_out) if self.bias else y)
