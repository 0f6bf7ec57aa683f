"""Mistral: LLaMA's blocks, with grouped heads and a window that all layers look back at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symledger.models.llama import Llama
from symledger.models.windows import WindowedDecoder, Windows


@dataclass(frozen=True)
class Mistral(Llama, WindowedDecoder):
    """The decoder-only transformer of Mistral; its later versions have no window.

    Source: Jiang et al., *Mistral 7B* (2023), section 2 and table 1.
    """

    windows: Windows = "all"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, sliding window"
    references: ClassVar[tuple[str, ...]] = ("Jiang et al., Mistral 7B (2023), section 2",)
