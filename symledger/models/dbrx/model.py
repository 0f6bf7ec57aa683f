"""DBRX: grouped attention and experts between norms that shift nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from symledger.components.blocks.blocks import Block, Norm, norm
from symledger.ir.tensor import Tensor
from symledger.models.shared.sparse_llama import SparseLlama


@dataclass(frozen=True)
class Dbrx(SparseLlama):
    """The decoder-only transformer of DBRX: sixteen experts of which four see a token, no bias.

    Norms are layer norms without a shift. That queries, keys and values are clipped is no
    contraction, and left out.
    Source: The Mosaic Research Team, *Introducing DBRX* (2024).
    """

    tied: Literal[False] = False
    attention_bias: Literal[False] = False

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, grouped attention, experts, LayerNorm"
    references: ClassVar[tuple[str, ...]] = (
        "The Mosaic Research Team, Introducing DBRX (2024)",
    )

    def block(self) -> Block:
        return replace(super().block(), norm="layer", norm_bias=False)

    def normalize(self, x: Tensor) -> Tensor:
        return norm("layer", self.d, bias=False)(x, name="final_norm")
