"""OLMo Hybrid: a gated delta rule in most layers, OLMo 3's attention in some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import ReorderedBlock
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.state_spaces.delta import GatedDeltaMixer
from symledger.models.shared.delta_hybrid import DeltaHybrid
from symledger.notation.component import Component


@dataclass(frozen=True)
class OlmoHybrid(DeltaHybrid):
    """The decoder of OLMo Hybrid: L_a of its L layers attend, the others have a gated delta rule.

    Those normalize what enters each part, layers that attend what leaves it, and all queries and
    keys together, and are told positions if they are ``rotary``. With ``negative``, a memory may
    write up to twice of what it lacks.
    Source: transformers 5.23, ``OlmoHybridForCausalLM``.
    """

    negative: bool = True
    rotary: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "hybrid decoder, gated delta rule and attention, QK norms"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, OlmoHybridForCausalLM",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), bias=self.attention_bias, qk_norm="rms of all heads",
            rotary=self.rotary,
        )  # fmt: skip

    def mixer(self) -> GatedDeltaMixer:
        return replace(super().mixer(), negative=self.negative)

    def arranged(self, mixer: Component | None, network: Component) -> Component:
        if mixer:
            return super().arranged(mixer, network)
        return ReorderedBlock(self.d, norm="rms", attention=self.attention(), network=network)
