"""DiffLlama: LLaMA with differences of two attentions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from symledger.components.attention.attention import Attention
from symledger.components.attention.differential import YE, DifferentialAttention
from symledger.models.shared.gated import GatedDecoder


@dataclass(frozen=True)
class DiffLlama(GatedDecoder):
    """The decoder-only transformer of DiffLlama: LLaMA's blocks with differential attention.

    Source: Ye et al., *Differential Transformer* (2024), section 2; transformers,
    ``DiffLlamaForCausalLM``.
    """

    attention_bias: bool = False

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, differential attention"
    references: ClassVar[tuple[str, ...]] = (YE,)

    def attention(self) -> Attention:
        mixing = DifferentialAttention(self.h, self.h_kv, self.d_h, self.d_h)
        return replace(super().attention(), bias=self.attention_bias, mixing=mixing)
