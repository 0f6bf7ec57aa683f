"""Qwen2, and Qwen1.5 and 2.5: LLaMA's blocks with biases in the maps to queries, keys, values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from symledger.components.attention.attention import Attention
from symledger.models.mistral.model import Mistral
from symledger.models.shared.windows import Windows


@dataclass(frozen=True)
class Qwen2(Mistral):
    """The decoder-only transformer of Qwen2; some of its layers may look back at a window only.

    Source: Yang et al., *Qwen2 Technical Report* (2024), section 2.2.1.
    """

    windows: Windows = "none"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, QKV biases"
    references: ClassVar[tuple[str, ...]] = (
        "Yang et al., Qwen2 Technical Report (2024), section 2.2.1",
    )

    def attention(self) -> Attention:
        return replace(super().attention(), bias=True, unbiased=("O",))
