"""The mini-GPT: small enough to count by hand, complete enough to be a real model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.blocks import PreLNBlock
from symledger.components.embedding import LMHead, TokenEmbedding
from symledger.components.norms import RMSNorm
from symledger.components.positions import LearnedPositions, SinusoidalPositions
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import param, repeat
from symledger.core.tensor import Tensor
from symledger.sizes import Size

Positions = Literal["rotary", "learned", "sinusoidal"]


@dataclass(frozen=True)
class MiniGPT(Component):
    """A decoder-only transformer: pre-LN RMSNorm, GELU, rotary positions, tied head, no biases.

    Source: the mini-GPT of a course page that counts it layer by layer.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    T_max: Expr = sizes.T_max
    positions: Positions = "rotary"
    tied: bool = True
    bias: bool = False
    dropout: bool = False
    flash: bool = False

    signature: ClassVar[str] = "B T in V -> B T V"
    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Radford et al., Language Models are Unsupervised Multitask Learners (2019)",
    )

    def forward(self, tokens: Tensor) -> Steps:
        E = param("E", self.V, self.d)
        x = TokenEmbedding(self.V, self.d)(tokens, E, name="token_embedding")
        if self.positions == "learned":
            x = LearnedPositions(self.T_max, self.d)(x, name="positions")
        if self.positions == "sinusoidal":
            x = SinusoidalPositions(self.d)(x, name="positions")
        x = repeat(self.block(), self.L, x, name="block")
        x = RMSNorm(self.d)(x, name="final_norm")
        return steps(x=x, logits=LMHead(self.V, self.d)(x, E if self.tied else None, name="head"))

    def block(self) -> Component:
        """Return the block that is repeated L times."""
        return PreLNBlock(
            self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff,
            norm="rms", activation="gelu", bias=self.bias, rotary=self.positions == "rotary",
            dropout=self.dropout, flash=self.flash,
        )  # fmt: skip


CONFIGURATIONS = {
    "mini_gpt": {"V": 512, "d": 64, "L": 2, "h": 4, "T": 32, "B": 8, "T_max": 32},
    "mini_gpt-small": {"V": 512, "d": 32, "L": 2, "h": 4, "T": 32, "B": 8, "T_max": 32},
}
