"""Qwen3-Next and Qwen3.5: a gated delta rule in most layers, gated attention in some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.models.qwen_moe.model import SharedAndRouted
from symledger.models.shared.delta_hybrid import DeltaHybrid
from symledger.models.shared.hybrid import SparseHybridDecoder
from symledger.notation.component import Component


@dataclass(frozen=True)
class Qwen35(DeltaHybrid):
    """The decoder of Qwen3.5: L_a of its L layers attend, the others have a gated delta rule.

    Attention is behind a gate, its queries and keys are normalized, and d_rot of a head is turned
    by its position.
    Source: transformers 5.23, ``Qwen3_5ForCausalLM``.
    """

    d_rot: Expr = sizes.d_rot
    partly: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "hybrid decoder, gated delta rule and gated attention"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Qwen3_5ForCausalLM",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), bias=self.attention_bias, qk_norm="rms", gate="elements",
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip


@dataclass(frozen=True)
class Qwen3Next(Qwen35, SparseHybridDecoder):
    """The decoder of Qwen3-Next and of Qwen3.5 with experts, a shared one behind a gate.

    Source: transformers 5.23, ``Qwen3NextForCausalLM``.
    """

    d_sh: Expr = sizes.d_sh

    title: ClassVar[str] = "hybrid decoder, gated delta rule, gated attention, mixture of experts"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Qwen3NextForCausalLM",)

    def mixture(self) -> Component:
        widths = (self.E, self.k, self.d, self.d_exp, self.d_sh)
        return SharedAndRouted(*widths, self.activation)
