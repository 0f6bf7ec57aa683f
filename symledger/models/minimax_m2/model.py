"""MiniMax-M2: many small experts in LLaMA's blocks, norms of all queries and all keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.models.shared.sparse_llama import SparseLlama


@dataclass(frozen=True)
class MiniMaxM2(SparseLlama):
    """The decoder-only transformer of MiniMax-M2: no layer is dense, and no expert shared.

    One norm is over all query heads together, one over all key heads. As much as d_rot of each head
    is turned by its position, or all of it if not ``partly``.
    Source: MiniMax, *MiniMax-M2* (2025), model card; transformers, ``MiniMaxM2ForCausalLM``.
    """

    d_rot: Expr = sizes.d_rot
    partly: bool = True

    title: ClassVar[str] = "decoder-only transformer, QK norms, partly rotary, small experts"
    references: ClassVar[tuple[str, ...]] = ("MiniMax, MiniMax-M2 (2025), model card",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), qk_norm="rms of all heads",
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip
