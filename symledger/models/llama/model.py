"""LLaMA: pre-LN blocks with RMSNorm, SwiGLU and rotary positions; no biases, untied head."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, Norm, PreLNBlock
from symledger.components.feed_forward.feed_forward import Activation, GatedFeedForward
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


@dataclass(frozen=True)
class Llama(GatedDecoder):
    """The decoder-only transformer of LLaMA, with key/value heads that queries may share.

    Models that are published as one may have biases in the maps of attention or of the network.
    Source: Touvron et al., *LLaMA* (2023), section 2.2; *Llama 2* (2023) for grouped heads.
    """

    flash: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, rotary positions"
    references: ClassVar[tuple[str, ...]] = (
        "Touvron et al., LLaMA: Open and Efficient Foundation Language Models (2023), section 2.2",
    )

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.attention_bias, flash=self.flash)

    def network(self) -> Component:
        return GatedFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias)
