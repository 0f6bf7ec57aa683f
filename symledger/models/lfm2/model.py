"""LFM2: short convolutions behind gates in most layers, attention in some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.state_spaces.short import LFM2, ShortConvolution
from symledger.models.shared.hybrid import HybridDecoder, SparseHybridDecoder
from symledger.notation.component import Component


@dataclass(frozen=True)
class Lfm2(HybridDecoder):
    """The decoder of LFM2: L_a of its L layers attend, the others convolve K tokens behind gates.

    Every layer has a gated network. Queries and keys are normalized, each head by itself.
    Source: Liquid AI, *LFM2 Technical Report* (2025); transformers 5.23,
    ``Lfm2ForCausalLM``.
    """

    K: Expr = sizes.K
    tied: bool = True
    bias: bool = False
    activation: Literal["silu"] = "silu"

    title: ClassVar[str] = "hybrid decoder, short convolutions and attention"
    references: ClassVar[tuple[str, ...]] = (LFM2,)

    def attention(self) -> Attention:
        return replace(super().attention(), qk_norm="rms")

    def mixer(self) -> Component:
        return ShortConvolution(self.d, self.K, self.bias, self.cached)


@dataclass(frozen=True)
class Lfm2Moe(Lfm2, SparseHybridDecoder):
    """The decoder of LFM2-MoE: LFM2's, with experts in the place of networks but for L_d layers.

    Source: Liquid AI, *LFM2 Technical Report* (2025); transformers 5.23,
    ``Lfm2MoeForCausalLM``.
    """

    title: ClassVar[str] = "hybrid decoder, short convolutions and attention, mixture of experts"
