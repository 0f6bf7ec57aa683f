"""GPT-2 and GPT-3: pre-LN blocks with layer norms, biases, learned positions and a tied head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, PreLNBlock
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class GPT2(Decoder):
    """The decoder-only transformer of GPT-2; GPT-3 is wider and deeper.

    GPT-3 attends in alternating dense and banded patterns; that changes no parameter, and its
    FLOPs are counted dense here. ``composed``: GELU as several operations that each keep what
    they need, and not as one.
    Source: Radford et al. (2019), section 2.3; Brown et al. (2020), section 2.1.
    """

    T_max: Expr = sizes.T_max
    bias: bool = True
    dropout: bool = False
    flash: bool = False
    composed: bool = False
    activation: Activation = "gelu_tanh"

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, pre-LN LayerNorm, learned positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Radford et al., Language Models are Unsupervised Multitask Learners (2019), section 2.3",
        "Brown et al., Language Models are Few-Shot Learners (2020), section 2.1 and table 2.1",
    )

    def place(self, x: Tensor) -> Tensor:
        x = LearnedPositions(self.T_max, self.d, self.first(x))(x, name="positions")
        return Dropout()(x, name="embedding_dropout") if self.dropout else x

    def attention(self) -> Attention:
        """Return the attention of a block."""
        return Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, self.bias, causal=True,
            dropout=self.dropout, flash=self.flash, cached=self.seen,
        )  # fmt: skip

    def block(self) -> Component:
        activation: Activation = "gelu_new" if self.composed else self.activation
        network = FeedForward(self.d, self.d_ff, activation, self.bias)
        return PreLNBlock(
            self.d, norm="layer", dropout=self.dropout, attention=self.attention(),
            network=network,
        )  # fmt: skip


CONFIGURATIONS = {
    "gpt2": {"V": 50257, "d": 768, "L": 12, "h": 12, "T_max": 1024, "T": 1024, "B": 1},
}
