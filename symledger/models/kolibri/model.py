"""Kolibri and Flint: windows that turn heads, full layers that do not, experts and a shared one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.blocks.blocks import Block, SandwichBlock
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component


@dataclass(frozen=True)
class Flint(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of Flint: a shared network beside the experts, without a gate.

    Every head has a learned sink. Layers with a window turn queries and keys by their position; the
    others are told none.
    Source: transformers, ``FlintForCausalLM`` (2026).
    """

    d_sh: Expr = sizes.d_sh
    windows: Windows = "some"
    sinks: bool = True
    turned_everywhere: bool = False

    title: ClassVar[str] = "decoder-only transformer, windows, sinks, NoPE, experts and shared ones"
    references: ClassVar[tuple[str, ...]] = ("transformers, FlintForCausalLM (2026)",)

    def attention(self) -> Attention:
        heads = (self.h, self.h_kv, self.d_h, self.d_h)
        mixing = ScaledDotProduct(*heads, causal=True, sinks=True) if self.sinks else None
        return replace(
            super().attention(), qk_norm="rms", rotary=self.turned_everywhere, mixing=mixing
        )

    def near(self, attention: Attention) -> Attention:
        return replace(attention, rotary=True)

    def network(self) -> Component:
        beside = GatedFeedForward(self.d, self.d_sh, self.activation)
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, activation=self.activation, beside=beside
        )


@dataclass(frozen=True)
class Kolibri(Flint):
    """The decoder-only transformer of Kolibri: Flint's, with sandwich norms and without sinks.

    Source: transformers, ``Kolibri1ForCausalLM`` (2026).
    """

    sinks: bool = False

    title: ClassVar[str] = "decoder-only transformer, sandwich norms, windows, NoPE, experts"
    references: ClassVar[tuple[str, ...]] = ("transformers, Kolibri1ForCausalLM (2026)",)

    def block(self) -> Block:
        return SandwichBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )
