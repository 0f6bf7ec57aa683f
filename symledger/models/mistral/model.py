"""Mistral: LLaMA's blocks, with grouped heads and a window that all layers look back at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from symledger.components.attention.attention import Attention
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.windows import WindowedDecoder, Windows


@dataclass(frozen=True)
class Mistral(GatedDecoder, WindowedDecoder):
    """The decoder-only transformer of Mistral; its later versions have no window.

    Source: Jiang et al., *Mistral 7B* (2023), section 2 and table 1.
    """

    flash: bool = False
    windows: Windows = "all"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, sliding window"
    references: ClassVar[tuple[str, ...]] = ("Jiang et al., Mistral 7B (2023), section 2",)

    def attention(self) -> Attention:
        return replace(super().attention(), flash=self.flash)
