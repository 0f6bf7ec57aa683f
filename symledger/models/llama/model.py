"""LLaMA: pre-LN blocks with RMSNorm, SwiGLU and rotary positions; no biases, untied head."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.models.shared.gated import GatedDecoder
from symledger.notation.component import Component


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


@dataclass(frozen=True)
class BitNet(Llama):
    """The decoder-only transformer of BitNet b1.58: norms also before each part's last map.

    Weights are counted as numbers; that they are stored as one of three values is a matter of
    bytes. Source: Ma et al., *BitNet b1.58 2B4T Technical Report* (2025), section 2.
    """

    activation: Activation = "relu2"
    mlp_bias: Literal[False] = False

    title: ClassVar[str] = "decoder-only transformer, squared ReLU, norms inside each part"
    references: ClassVar[tuple[str, ...]] = (
        "Ma et al., BitNet b1.58 2B4T Technical Report (2025), section 2",
    )

    def attention(self) -> Attention:
        return replace(super().attention(), inner_norm=True)

    def network(self) -> Component:
        return GatedFeedForward(self.d, self.d_ff, self.activation, inner_norm=True)
