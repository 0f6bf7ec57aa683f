"""GPT, the first one: post-LN blocks with biases, learned positions and a tied head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PostLNBlock
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class GPT(Decoder):
    """The decoder-only transformer of GPT: norms follow the residual sums, and none ends the stack.

    Source: Radford et al., *Improving Language Understanding by Generative Pre-Training* (2018),
    section 4.1.
    """

    T_max: Expr = sizes.T_max
    activation: Activation = "gelu_tanh"

    title: ClassVar[str] = "decoder-only transformer, post-LN LayerNorm, learned positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Radford et al., Improving Language Understanding by Generative Pre-Training (2018), "
        "section 4.1",
    )

    def place(self, x: Tensor) -> Tensor:
        return LearnedPositions(self.T_max, self.d, self.first(x))(x, name="positions")

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, bias=True, causal=True, cached=self.seen
        )
        network = FeedForward(self.d, self.d_ff, self.activation)
        return PostLNBlock(self.d, norm="layer", attention=attention, network=network)

    def normalize(self, x: Tensor) -> Tensor:
        return x
