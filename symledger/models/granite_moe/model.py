"""Granite 3 with experts: a mixture of experts in LLaMA's blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windows import WindowedDecoder
from symledger.notation.component import Component


@dataclass(frozen=True)
class GraniteMoe(SparseLlama, WindowedDecoder):
    """The decoder-only transformer of Granite 3 with experts, of which one may be ``shared``.

    Some of its layers may have a window, and its heads learned ``sinks``.
    Source: Granite Team, *Granite 3.0 Language Models* (2024), section 2; transformers,
    ``GraniteMoeForCausalLM``.
    """

    d_sh: Expr = sizes.d_sh
    shared: bool = False
    sinks: bool = False

    title: ClassVar[str] = "decoder-only transformer, mixture of experts"
    references: ClassVar[tuple[str, ...]] = (
        "Granite Team, Granite 3.0 Language Models (2024), section 2",
    )

    def attention(self) -> Attention:
        plain = super().attention()
        heads = (self.h, self.h_kv, self.d_h, self.d_h)
        mixing = ScaledDotProduct(*heads, causal=True, sinks=True) if self.sinks else None
        return replace(plain, mixing=mixing)

    def network(self) -> Component:
        if not self.shared:
            return super().network()
        beside = GatedFeedForward(self.d, self.d_sh, self.activation)
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_ff, activation=self.activation, beside=beside
        )
