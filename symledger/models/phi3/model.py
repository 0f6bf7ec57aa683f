"""Phi-3 and Phi-4: LLaMA's blocks, where only a part of each head may be turned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.models.mistral.model import Mistral
from symledger.models.shared.windows import Windows


@dataclass(frozen=True)
class Phi3(Mistral):
    """The decoder-only transformer of Phi-3; with ``partly`` d_rot of each head are turned.

    That queries, keys and values are one matrix in the implementation, and gate and up another,
    changes no count.
    Source: Abdin et al., *Phi-3 Technical Report* (2024), section 2.
    """

    d_rot: Expr = sizes.d_rot
    partly: bool = False
    windows: Windows = "none"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, rotary positions"
    references: ClassVar[tuple[str, ...]] = (
        "Abdin et al., Phi-3 Technical Report (2024), section 2",
    )

    def attention(self) -> Attention:
        plain = super().attention()
        return replace(plain, d_rot=self.d_rot) if self.partly else plain
