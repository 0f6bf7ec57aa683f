"""Hunyuan-A13B: experts beside one shared network of the same width, norms of queries and keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Integer

from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.notation.component import Component


@dataclass(frozen=True)
class HunyuanMoe(SparseLlama):
    """The decoder-only transformer of Hunyuan-A13B: every layer has experts, and a shared one.

    That heads are normalized after they were turned by their position, not before, counts nothing.
    Source: Tencent Hunyuan Team, *Hunyuan-A13B Technical Report* (2025), section 2; transformers,
    ``HunYuanMoEV1ForCausalLM``.
    """

    title: ClassVar[str] = "decoder-only transformer, QK norms, routed experts and a shared one"
    references: ClassVar[tuple[str, ...]] = (
        "Tencent Hunyuan Team, Hunyuan-A13B Technical Report (2025), section 2",
    )

    def attention(self) -> Attention:
        return replace(super().attention(), qk_norm="rms")

    def network(self) -> Component:
        widths = (self.E, self.k, self.d, self.d_ff, Integer(1))
        return MixtureOfExperts(*widths, self.activation, shared=True)
