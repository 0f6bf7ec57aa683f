"""MiniMax-01 and M1: lightning attention in most layers, softmax in some, experts in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.state_spaces.lightning import MINIMAX, LightningAttention
from symledger.ir.tensor import Tensor
from symledger.models.shared.hybrid import HybridDecoder, MixingBlock
from symledger.notation.component import Component, Steps, steps
from symledger.sizes import Size

KEPT, ADDED = Integer(3), Integer(2)
"""What both sides of residual sums are multiplied by; other numbers would be counted the same."""


@dataclass(frozen=True)
class NormedSumsBlock(MixingBlock):
    """A block that adds to what was normalized, not to what entered, and scales both sides.

    Source: MiniMax, *MiniMax-01* (2025), section 2.3; transformers 5.23, ``MiniMaxDecoderLayer``.
    """

    title: ClassVar[str] = "transformer block that adds to what was normalized"

    def forward(self, x: Tensor) -> Steps:
        entered = self.normalize(x, 1)
        middle = self.normalize(entered * KEPT + self.attend(entered) * ADDED, 2)
        return steps(middle=middle, y=middle * KEPT + self.feed(middle) * ADDED)


@dataclass(frozen=True)
class MiniMax(HybridDecoder):
    """The decoder of MiniMax-01: L_a of its L layers have softmax attention, others lightning.

    Every layer has E experts, of which a token uses k. Of a text that is no longer than a block of
    lightning attention there is ``one`` block.
    Source: MiniMax, *MiniMax-01* (2025), section 2; transformers 5.23, ``MiniMaxForCausalLM``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    one: Annotated[bool, Seldom()] = False
    activation: Literal["silu"] = "silu"

    title: ClassVar[str] = "hybrid decoder, lightning and softmax attention, mixture of experts"
    definitions: ClassVar[dict[Size, Expr]] = LightningAttention.definitions
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **HybridDecoder.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (MINIMAX, "transformers 5.23, MiniMaxForCausalLM")

    def network(self) -> Component:
        return MixtureOfExperts(self.E, self.k, self.d, self.d_ff, activation=self.activation)

    def mixer(self) -> LightningAttention:
        return LightningAttention(
            self.d, self.h, self.d_h, self.Q, self.n_c, self.one, self.cached
        )  # fmt: skip

    def arranged(self, mixer: Component | None, network: Component) -> Component:
        attention = None if mixer else self.attention()
        return NormedSumsBlock(
            self.d, norm="rms", attention=attention, network=network, mixer=mixer
        )  # fmt: skip
