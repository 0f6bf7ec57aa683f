"""Qwen3: LLaMA's blocks with every query and key normalized, head by head."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from symledger.components.attention.attention import Attention
from symledger.models.mistral.model import Mistral
from symledger.models.shared.windows import Windows


@dataclass(frozen=True)
class Qwen3(Mistral):
    """The decoder-only transformer of Qwen3: norms of queries and keys, and no biases as published.

    Source: Yang et al., *Qwen3 Technical Report* (2025), section 2.
    """

    attention_bias: bool = False
    windows: Windows = "none"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, QK norms"
    references: ClassVar[tuple[str, ...]] = (
        "Yang et al., Qwen3 Technical Report (2025), section 2",
    )

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.attention_bias, qk_norm="rms")
