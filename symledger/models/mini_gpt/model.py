"""The mini-GPT: small enough to count by hand, complete enough to be a real model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, PreLNBlock
from symledger.components.embeddings.positions import LearnedPositions, SinusoidalPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size

Positions = Literal["rotary", "learned", "sinusoidal"]


@dataclass(frozen=True)
class MiniGPT(Decoder):
    """A decoder-only transformer: pre-LN RMSNorm, GELU, rotary positions, tied head, no biases.

    Source: after Radford et al. (2019), at a size that can be counted by hand.
    """

    T_max: Expr = sizes.T_max
    positions: Positions = "rotary"
    bias: bool = False
    dropout: bool = False
    flash: bool = False

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Radford et al., Language Models are Unsupervised Multitask Learners (2019)",
    )

    def place(self, x: Tensor) -> Tensor:
        if self.positions == "learned":
            x = LearnedPositions(self.T_max, self.d, self.first(x))(x, name="positions")
        if self.positions == "sinusoidal":
            x = SinusoidalPositions(self.d, self.first(x))(x, name="positions")
        return Dropout()(x, name="embedding_dropout") if self.dropout else x

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, self.bias, causal=True,
            rotary=self.positions == "rotary", dropout=self.dropout, flash=self.flash,
            cached=self.seen,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, bias=self.bias)
        return PreLNBlock(
            self.d, norm="rms", dropout=self.dropout, attention=attention, network=network
        )


CONFIGURATIONS = {
    "mini_gpt": {"V": 512, "d": 64, "L": 2, "h": 4, "T": 32, "B": 8, "T_max": 32},
    "mini_gpt-small": {"V": 512, "d": 32, "L": 2, "h": 4, "T": 32, "B": 8, "T_max": 32},
}
