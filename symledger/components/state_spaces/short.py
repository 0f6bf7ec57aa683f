"""Short convolutions behind gates: a token sees its neighbours, and nothing else is remembered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.components.state_spaces.selective import CausalConvolution
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow

LFM2 = "Liquid AI, LFM2 Technical Report (2025)"


@dataclass(frozen=True)
class ShortConvolution(Component):
    """A convolution of every channel by itself between two gates, all three mapped from x.

    y = W_out (c ⊙ conv(b ⊙ u)) with b, c and u from one map: K tokens are seen, and decoding
    remembers as many. ``bias``: that of both maps and of the convolution.
    Source: Liquid AI, *LFM2 Technical Report* (2025); transformers 5.23,
    ``Lfm2ShortConv``.
    """

    d: Expr = sizes.d
    K: Expr = sizes.K
    bias: bool = False
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "short convolution of channels by themselves, between two gates"
    references: ClassVar[tuple[str, ...]] = (LFM2, "transformers 5.23, Lfm2ShortConv")

    def forward(self, x: Tensor) -> Steps:
        wide = Linear(self.d, 3 * self.d, self.bias)(x, name="in")
        b, c, u = (narrow(wide, -1, place * self.d, self.d) for place in range(3))
        gated = b * u
        convolution = CausalConvolution(self.d, self.K, self.bias, self.cached)
        v = convolution(gated, name="convolution")
        z = c * v
        return steps(wide=wide, gated=gated, v=v, z=z,
                     y=Linear(self.d, self.d, self.bias)(z, name="out"))  # fmt: skip
