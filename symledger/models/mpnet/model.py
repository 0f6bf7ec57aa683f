"""MPNet: an encoder like RoBERTa's, whose layers share learned biases of distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.relative import BiasedAttention
from symledger.components.blocks.blocks import PostLNBlock
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder import Encoder, Trained
from symledger.models.t5.model import RAFFEL, biases
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import param, repeat

SONG = "Song et al., MPNet (2020)"


@dataclass(frozen=True)
class BiasedBlock(PostLNBlock):
    """A post-LN block whose attention is given the biases that all layers share."""

    signature: ClassVar[str] = "B T d, h T K -> B T d"

    def forward(self, x: Tensor, bias: Tensor | None = None) -> Steps:
        assert self.attention is not None
        attended = self.attention(x, None, None, None, bias, name="attention")
        if self.dropout:
            attended = Dropout()(attended, name="attention_dropout")
        middle = self.normalize(x + attended, 1)
        return steps(middle=middle, y=self.normalize(middle + self.feed(middle), 2))


@dataclass(frozen=True)
class MPNet(Encoder):
    """RoBERTa without segments, whose scores have a bias for each head and bucket of distances.

    The biases come from one table of n_b rows, as in T5. It was trained to score masked tokens
    in an order of its own; that changes what is asked for, and not what is computed. Where the
    table of scores is not ``tied`` there is a second bias, unused, as in BERT.
    Source: Song et al., *MPNet* (2020), section 2, and its implementation; Raffel et al., *T5*
    (2020), section 2.1, for the biases.
    """

    head: Trained = "bare"
    n_b: Expr = sizes.n_b
    tied: Annotated[bool, Seldom()] = True

    spares: ClassVar[bool] = True
    first_position: ClassVar[int] = 2
    title: ClassVar[str] = "encoder-only transformer with shared biases of distances"
    references: ClassVar[tuple[str, ...]] = (f"{SONG}, section 2", RAFFEL)

    def forward(self, tokens: Tensor) -> Steps:
        """Add rows for each token and its position, apply L blocks with biases, and answer."""
        E = param("E", self.V, self.d)
        return self.ended(self.place(self.look_up(tokens, E)), E)

    @property
    def shares(self) -> bool:
        """Whether the scores of masked tokens use the table at the entrance."""
        return self.tied

    def block(self) -> Component:
        mixing = BiasedAttention(
            self.h, self.h, self.d_h, self.d_h, scaled=True, dropout=self.dropout
        )
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, bias=True, mixing=mixing
        )
        return BiasedBlock(
            self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff, norm="layer",
            activation=self.activation, dropout=self.dropout, attention=attention,
        )  # fmt: skip

    def through(self, x: Tensor) -> Tensor:
        """Let every token see all others, with the biases of how far they are, L times."""
        T = x.shape[1]
        R = biases("R", self.n_b, self.h, T, T)
        return repeat(self.block(), self.L, x, R, name="block", recompute=self.recompute)
