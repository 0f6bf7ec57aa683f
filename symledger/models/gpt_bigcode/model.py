"""GPT-BigCode (SantaCoder, StarCoder): GPT-2 with one key/value head for all queries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.models.gpt2.model import GPT2
from symledger.sizes import Size


@dataclass(frozen=True)
class GPTBigCode(GPT2):
    """The decoder-only transformer of SantaCoder and StarCoder: GPT-2, its keys in h_kv heads.

    Source: Li et al., *StarCoder* (2023), section 5.2; Shazeer (2019) for the shared head.
    """

    h_kv: Expr = sizes.h_kv

    title: ClassVar[str] = "decoder-only transformer, GPT-2 with multi-query attention"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "multi-query": {sizes.h_kv: 1, **GPT2.assumptions},
        "multi-head": {sizes.h_kv: sizes.h, **GPT2.assumptions},
    }
    references: ClassVar[tuple[str, ...]] = ("Li et al., StarCoder (2023), section 5.2",)

    def attention(self) -> Attention:
        return replace(super().attention(), h_kv=self.h_kv)
