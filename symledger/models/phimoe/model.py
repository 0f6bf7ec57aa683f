"""Phi-3.5-MoE: a mixture of experts in LLaMA's blocks, with layer norms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from symledger.components.blocks.blocks import Block, Norm
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windows import WindowedDecoder


@dataclass(frozen=True)
class PhiMoe(SparseLlama, WindowedDecoder):
    """The decoder-only transformer of Phi-3.5-MoE: layer norms, and a head with or without a bias.

    Source: Abdin et al., *Phi-3 Technical Report* (2024), section 2; transformers,
    ``PhimoeForCausalLM``.
    """

    biased: bool = False

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, layer norms, mixture of experts"
    references: ClassVar[tuple[str, ...]] = (
        "Abdin et al., Phi-3 Technical Report (2024), section 2",
    )

    @property
    def head_bias(self) -> bool:  # type: ignore[override]
        """Whether the head has a bias."""
        return self.biased

    def block(self) -> Block:
        return replace(super().block(), norm="layer")
