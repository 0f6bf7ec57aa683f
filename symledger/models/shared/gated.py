"""LLaMA's blocks: pre-LN with RMSNorm, gated networks, heads that queries share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, Norm, PreLNBlock
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class GatedDecoder(Decoder):
    """What LLaMA and the families after it share: their blocks, and heads that queries share.

    Gates may go through another nonlinearity than the family's.
    """

    h_kv: Expr = sizes.h_kv
    tied: bool = False
    activation: Activation = "silu"

    final_norm: ClassVar[Norm] = "rms"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "multi-head": assumptions,
        "multi-query": {**assumptions, sizes.h_kv: 1},
    }

    def attention(self) -> Attention:
        """Return the attention of a block."""
        return Attention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, causal=True, rotary=True,
            cached=self.seen,
        )  # fmt: skip

    def network(self) -> Component:
        """Return the feed-forward network of a block."""
        return GatedFeedForward(self.d, self.d_ff, self.activation)

    def block(self) -> Block:
        return PreLNBlock(self.d, norm="rms", attention=self.attention(), network=self.network())
