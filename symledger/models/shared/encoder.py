"""What encoder-only transformers share: tokens in, post-LN blocks that see everything, a head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.blocks.blocks import Block, PostLNBlock
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.heads_and_losses.heads import MaskedLMHead, Pooled, Pooler
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.errors import DefinitionError
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import param, repeat
from symledger.sizes import Size

TWO = Integer(2)
"""A token belongs to the first or the second sentence; the second follows the first or not."""
Task = Literal["bare", "pretraining", "masked", "sequences", "tokens"]
"""What is made of the hidden vectors: nothing but what the model ends with; what it was trained
for; scores of masked tokens; scores of classes, of the whole sequence or of each token (a span's
beginning and end are two of them)."""
Trained = Literal["bare", "masked", "sequences", "tokens"]
"""The same, of what was trained for masked tokens alone."""
Ended = Literal["bare", "pretraining", "masked", "sequences", "mean", "late", "tokens"]
"""All that an encoder may end with; of the ``mean`` of all tokens classes may be scored, too, or
``late``: the mean of the scores of all."""


@dataclass(frozen=True)
class Encoder(Component):
    """An encoder-only transformer; a family says what enters its blocks and how it pools.

    The table of tokens is used again for the scores of masked tokens.
    With ``recompute`` only what enters each block is kept, and the backward pass runs it again.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    T_max: Expr = sizes.T_max
    V_seg: Expr = sizes.V_seg
    Y: Expr = sizes.Y

    head: Ended = "bare"
    activation: Activation = "gelu"
    dropout: bool = False
    recompute: bool = False

    enters: ClassVar[str] = "B T in V"
    pools: ClassVar[bool] = True
    pooled_by: ClassVar[Pooled] = "tanh"
    spares: ClassVar[bool] = False
    first_position: ClassVar[int] = 0
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d, sizes.V_seg: TWO,
    }  # fmt: skip

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        return f"{self.enters} -> {self.gives[self.head]}"

    @property
    def gives(self) -> dict[str, str]:
        """The axes of what each head gives."""
        return {
            "bare": "B T d, B d" if self.pools else "B T d", "pretraining": "B T V, B relations",
            "masked": "B T V", "sequences": "B Y", "mean": "B Y", "late": "B Y", "tokens": "B T Y",
        }  # fmt: skip

    @property
    def classifies(self) -> bool:
        """Whether classes of the whole sequence are scored."""
        return self.head in ("sequences", "mean", "late")

    @property
    def shares(self) -> bool:
        """Whether the scores of masked tokens use the table at the entrance."""
        return True

    @property
    def relations(self) -> Expr:
        """How many ways there are for one sentence to stand to another."""
        return TWO

    @property
    def d_table(self) -> Expr:
        """The width of the tables at the entrance."""
        return self.d

    def look_up(self, tokens: Tensor, E: Tensor) -> Tensor:
        """Look the tokens up in the table."""
        return TokenEmbedding(self.V, self.d_table)(tokens, E, name="token_embedding")

    def place(self, x: Tensor) -> Tensor:
        """Add a row for each position."""
        first = Integer(self.first_position)
        return LearnedPositions(self.T_max, self.d_table, first)(x, name="positions")

    def enter(self, x: Tensor) -> Tensor:
        """Normalize what the tables gave."""
        x = LayerNorm(self.d_table)(x, name="embedding_norm")
        return Dropout()(x, name="embedding_dropout") if self.dropout else x

    def block(self) -> Component:
        """Return the block that is repeated; a family has its own."""
        raise DefinitionError(f"{type(self).__name__} has no block: define what it repeats.")

    def through(self, x: Tensor) -> Tensor:
        """Let every token see all others, L times."""
        return repeat(self.block(), self.L, x, name="block", recompute=self.recompute)

    def pool(self, hidden: Tensor) -> Tensor:
        """Make one vector of the sequence."""
        return Pooler(self.d, self.pooled_by)(hidden, name="pooler")

    def unmask(self, hidden: Tensor, E: Tensor) -> Tensor:
        """Score the tokens that may stand behind a mask.

        A family that ``spares`` has a second bias where the table is another one, unused.
        """
        if self.spares and not self.shares:
            leave_idle(param("b_idle", self.V))
        head = MaskedLMHead(self.V, self.d, self.d_table, self.activation)
        return head(hidden, E if self.shares else None, name="masked_head")

    def classify(self, x: Tensor) -> Tensor:
        """Score the classes."""
        x = Dropout()(x, name="dropout") if self.dropout else x
        return Linear(self.d, self.Y)(x, name="classifier")

    def pretrain(self, hidden: Tensor, E: Tensor) -> dict[str, Tensor]:
        """Do what the model was trained for: unmask tokens, and tell how sentences follow."""
        pooled = self.pool(hidden)
        logits = self.unmask(hidden, E)
        follows = Linear(self.d, self.relations)(pooled, name="next_head")
        return {"pooled": pooled, "logits": logits, "follows": follows}

    def ended(self, embedded: Tensor, E: Tensor) -> Steps:
        """Send what the tables gave through the blocks, and make of it what the head is for."""
        hidden = self.through(self.enter(embedded))
        found: dict[str, Tensor] = {}
        if self.head == "pretraining":
            found = self.pretrain(hidden, E)
        elif self.head == "masked":
            found["logits"] = self.unmask(hidden, E)
        elif self.head == "tokens":
            found["logits"] = self.classify(hidden)
        elif self.classifies or self.pools:
            found["pooled"] = self.pool(hidden)
        if self.classifies:
            found["logits"] = self.classify(found["pooled"])
        return steps(embedded=embedded, hidden=hidden, **found)


@dataclass(frozen=True)
class PlainEncoder(Encoder):
    """An encoder with blocks of plain attention, which may be fused.

    Source: Devlin et al., *BERT* (2019), section 3.
    """

    head: Task = "bare"
    flash: bool = False

    def block(self) -> Block:
        return PostLNBlock(
            self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff,
            norm="layer", activation=self.activation, dropout=self.dropout, flash=self.flash,
        )  # fmt: skip
