"""OLMo 2: norms after each part instead of before it, and norms of all queries and keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from symledger.components.attention import Attention
from symledger.components.blocks import ReorderedBlock
from symledger.core.component import Component
from symledger.models.llama import GatedDecoder


@dataclass(frozen=True)
class Olmo2(GatedDecoder):
    """The decoder-only transformer of OLMo 2.

    Source: OLMo Team, *2 OLMo 2 Furious* (2024), section 2.
    """

    flash: bool = False
    attention_bias: bool = False

    title: ClassVar[str] = "decoder-only transformer, norms after each part, SwiGLU, QK norms"
    references: ClassVar[tuple[str, ...]] = ("OLMo Team, 2 OLMo 2 Furious (2024), section 2",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), bias=self.attention_bias, flash=self.flash,
            qk_norm="rms of all heads",
        )  # fmt: skip

    def block(self) -> Component:
        return ReorderedBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )
