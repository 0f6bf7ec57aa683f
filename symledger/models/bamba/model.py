"""Bamba: Mamba-2's mixers in most layers, attention in some, a gated network in all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.models.shared.mamba2_hybrid import Mamba2Hybrid
from symledger.notation.component import Component


@dataclass(frozen=True)
class Bamba(Mamba2Hybrid):
    """The decoder of Bamba: L_a of its L layers attend, the others scan.

    A part d_rot of each head is turned by its position.
    Source: transformers 5.23, ``BambaForCausalLM``.
    """

    d_rot: Expr = sizes.d_rot
    attention_bias: bool = False
    mlp_bias: bool = False
    partly: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "hybrid decoder, Mamba-2 and attention"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, BambaForCausalLM",)

    def attention(self) -> Attention:
        d_rot = self.d_rot if self.partly else None
        return replace(super().attention(), bias=self.attention_bias, d_rot=d_rot)

    def network(self) -> Component:
        return GatedFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias)
