"""AFMoE (Trinity) and Laguna: gates behind attention, windows, routed and shared experts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, SandwichBlock
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component
from symledger.sizes import Size

Gated = Literal["heads", "elements"]
"""What the gate of a layer multiplies: each head as a whole, or every element of heads."""


@dataclass(frozen=True)
class Afmoe(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of AFMoE: every element of heads is gated, parts are sandwiched.

    Layers with a window turn queries and keys by their position; the others are told none. A number
    for each expert, which is a parameter without a gradient, balances them.
    Source: Singh et al., *Arcee Trinity Large Technical Report* (2026), section 2; transformers,
    ``AfmoeForCausalLM``.
    """

    E_s: Expr = sizes.E_s
    windows: Windows = "some"

    title: ClassVar[str] = "decoder-only transformer, gated heads, sandwich norms, windows, experts"
    references: ClassVar[tuple[str, ...]] = (
        "Singh et al., Arcee Trinity Large Technical Report (2026), section 2",
    )

    def attention(self) -> Attention:
        return replace(
            super().attention(), qk_norm="rms", rotary=False, gate="elements", unbiased=("gate",)
        )

    def near(self, attention: Attention) -> Attention:
        return replace(attention, rotary=True)

    def network(self) -> Component:
        widths = (self.E, self.k, self.d, self.d_exp, self.E_s)
        return MixtureOfExperts(*widths, self.activation, shared=True, balanced=True)

    def block(self) -> Block:
        return SandwichBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )


@dataclass(frozen=True)
class Laguna(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of Laguna: softplus gates, and other heads where a window is.

    Layers with a window have h_w query heads, which are turned wholly; the others turn a part of
    each. The gate is one of each head, or of every element. A number for each expert, which is a
    parameter without a gradient, balances them.
    Source: transformers, ``LagunaForCausalLM`` (2026).
    """

    d_sh: Expr = sizes.d_sh
    d_rot: Expr = sizes.d_rot
    h_w: Expr = sizes.h_w
    windows: Windows = "some"
    gated: Gated = "heads"
    partly: bool = True

    title: ClassVar[str] = "decoder-only transformer, gated heads, windows, experts and shared ones"
    assumptions: ClassVar[dict[Size, Expr]] = {**SparseLlama.assumptions, sizes.h_w: sizes.h}
    references: ClassVar[tuple[str, ...]] = ("transformers, LagunaForCausalLM (2026)",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), qk_norm="rms", d_rot=self.d_rot if self.partly else None,
            gate="heads by softplus" if self.gated == "heads" else "elements by softplus",
            unbiased=("gate",),
        )  # fmt: skip

    def near(self, attention: Attention) -> Attention:
        return replace(attention, h=self.h_w, d_rot=None)

    def network(self) -> Component:
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, activation=self.activation, balanced=True,
            beside=GatedFeedForward(self.d, self.d_sh, self.activation),
        )  # fmt: skip
