"""Seed-OSS: LLaMA's blocks with biases in the maps to queries, keys and values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.models.shared.gated import GatedDecoder
from symledger.notation.component import Component


@dataclass(frozen=True)
class SeedOss(GatedDecoder):
    """The decoder-only transformer of Seed-OSS, whose map back from the heads may have a bias.

    Source: ByteDance Seed Team, *Seed-OSS* (2025), configuration and implementation.
    """

    qkv_bias: bool = True
    output_bias: bool = False
    mlp_bias: bool = False

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, QKV biases"
    references: ClassVar[tuple[str, ...]] = (
        "ByteDance Seed Team, Seed-OSS (2025), configuration and implementation",
    )

    def attention(self) -> Attention:
        without = ("Q", "K", "V") * (not self.qkv_bias) + ("O",) * (not self.output_bias)
        return replace(super().attention(), bias=True, unbiased=without)

    def network(self) -> Component:
        return GatedFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias)
