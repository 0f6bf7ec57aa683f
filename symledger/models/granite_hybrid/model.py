"""Granite 4: Mamba-2's mixers in most layers, attention in some, experts beside a network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.ir.tensor import Tensor
from symledger.models.granite.model import EMBEDDING, LOGITS, ScaledBlock
from symledger.models.shared.hybrid import MixingBlock
from symledger.models.shared.mamba2_hybrid import Mamba2Hybrid
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class ScaledMixingBlock(ScaledBlock, MixingBlock):
    """A block of any mixer whose parts add only a fraction of what they give."""


@dataclass(frozen=True)
class GraniteHybrid(Mamba2Hybrid):
    """The decoder of Granite 4: L_a of its L layers attend, the others scan.

    Every layer has a network of width d_sh, and with ``experts`` k of E others beside it for every
    token. Four constants keep its values in range, as in Granite 3. Heads are told no positions,
    unless they are ``rotary``.
    Source: transformers 5.23, ``GraniteMoeHybridForCausalLM``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d_sh: Expr = sizes.d_sh
    experts: bool = True
    rotary: bool = False
    attention_bias: bool = False

    title: ClassVar[str] = "hybrid decoder, Mamba-2 and attention, mixture of experts"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, GraniteMoeHybridForCausalLM",)
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **Mamba2Hybrid.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        scaled: Tensor = super().embed(tokens, E) * EMBEDDING
        return scaled

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        y = super().score(x, E)
        return y * (1 / LOGITS) if self.head == "lm" else y

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.attention_bias, rotary=self.rotary)

    def arranged(self, mixer: Component | None, network: Component) -> Component:
        attention = None if mixer else self.attention()
        return ScaledMixingBlock(
            self.d, norm="rms", attention=attention, network=network, mixer=mixer
        )

    def network(self) -> Component:
        beside = GatedFeedForward(self.d, self.d_sh, self.activation)
        if not self.experts:
            return beside
        widths = (self.E, self.k, self.d, self.d_ff)
        return MixtureOfExperts(*widths, activation=self.activation, beside=beside)
