"""Nemotron-4 and Minitron, Jais 2 and Persimmon: layer norms, a squared ReLU between two maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Nemotron(Decoder):
    """The decoder-only transformer of Nemotron-4: layer norms with biases, as older models have.

    Half of each head is turned by its position, or all of it if not ``partly``; with ``qk_norm``
    every head normalizes its queries and keys. That norms scale by 1 + g, not by g, changes
    neither parameters nor contractions.
    Source: Parmar et al., *Nemotron-4 15B Technical Report* (2024), section 2; transformers,
    ``NemotronForCausalLM``.
    """

    h_kv: Expr = sizes.h_kv
    d_rot: Expr = sizes.d_rot
    partly: bool = True
    attention_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False
    activation: Activation = "relu2"
    tied: bool = False

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, LayerNorm, squared ReLU, partly rotary"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Parmar et al., Nemotron-4 15B Technical Report (2024), section 2",
    )

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.attention_bias, causal=True,
            rotary=True, d_rot=self.d_rot if self.partly else None, cached=self.seen,
            qk_norm="layer" if self.qk_norm else None,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation, self.mlp_bias)
        return PreLNBlock(self.d, norm="layer", attention=attention, network=network)
