"""What LLaMA's blocks with mixtures of experts share, whatever a family adds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.models.shared.gated import GatedDecoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class SparseLlama(GatedDecoder):
    """LLaMA's blocks with k of E experts for every token, and biases in attention if there are any.

    What experts give is scaled, and scores too, in some of these models: that counts nothing but
    pointwise work, and is left out.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    attention_bias: bool = False

    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **GatedDecoder.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.attention_bias)

    def network(self) -> Component:
        return MixtureOfExperts(self.E, self.k, self.d, self.d_ff, activation=self.activation)
