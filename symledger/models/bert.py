"""BERT: a post-LN encoder over token, position and segment embeddings, with pooler and heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.blocks import PostLNBlock
from symledger.components.dropout import Dropout
from symledger.components.embedding import TokenEmbedding
from symledger.components.heads import DEVLIN, MaskedLMHead, Pooler
from symledger.components.linear import Linear
from symledger.components.norms import LayerNorm
from symledger.components.positions import LearnedPositions
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import param, repeat
from symledger.core.tensor import Tensor
from symledger.sizes import Size

TWO = Integer(2)
"""A token belongs to the first or the second sentence; the second follows the first or not."""


@dataclass(frozen=True)
class Encoder(Component):
    """What every use of BERT shares: its sizes and choices, and the way to its hidden vectors."""

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    T_max: Expr = sizes.T_max
    V_seg: Expr = sizes.V_seg
    dropout: bool = False
    flash: bool = False
    recompute: bool = False

    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d, sizes.V_seg: TWO,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{DEVLIN}, sections 3 and A.2",)

    def embed(self, tokens: Tensor, segments: Tensor, E: Tensor) -> Tensor:
        """Add what is known of each token by itself: which it is, in which segment, and where."""
        x = TokenEmbedding(self.V, self.d)(tokens, E, name="token_embedding")
        x = x + TokenEmbedding(self.V_seg, self.d)(segments, name="segment_embedding")
        return LearnedPositions(self.T_max, self.d)(x, name="positions")

    def encode(self, embedded: Tensor) -> Tensor:
        """Normalize, then let every token see all others, L times."""
        x = LayerNorm(self.d)(embedded, name="embedding_norm")
        if self.dropout:
            x = Dropout()(x, name="embedding_dropout")
        block = PostLNBlock(
            self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff,
            norm="layer", activation="gelu", dropout=self.dropout, flash=self.flash,
        )  # fmt: skip
        return repeat(block, self.L, x, name="block", recompute=self.recompute)


@dataclass(frozen=True)
class Bert(Encoder):
    """BERT without a task: the hidden vectors of all tokens, and the pooled one of the sequence.

    Source: Devlin et al., *BERT* (2019), section 3.
    """

    signature: ClassVar[str] = "B T in V, B T in V_seg -> B T d, B d"
    title: ClassVar[str] = "encoder-only transformer, post-LN LayerNorm, with pooler"

    def forward(self, tokens: Tensor, segments: Tensor) -> Steps:
        embedded = self.embed(tokens, segments, param("E", self.V, self.d))
        hidden = self.encode(embedded)
        pooled = Pooler(self.d)(hidden, name="pooler")
        return steps(embedded=embedded, hidden=hidden, pooled=pooled)


@dataclass(frozen=True)
class BertPretraining(Encoder):
    """BERT as it was trained: logits of masked tokens, and whether a sentence follows another.

    Source: Devlin et al., *BERT* (2019), section 3.1.
    """

    tied: bool = True

    signature: ClassVar[str] = "B T in V, B T in V_seg -> B T V, B two"
    title: ClassVar[str] = "BERT with its masked-token and next-sentence heads"

    def forward(self, tokens: Tensor, segments: Tensor) -> Steps:
        E = param("E", self.V, self.d)
        embedded = self.embed(tokens, segments, E)
        hidden = self.encode(embedded)
        pooled = Pooler(self.d)(hidden, name="pooler")
        logits = MaskedLMHead(self.V, self.d)(hidden, E if self.tied else None, name="masked_head")
        follows = Linear(self.d, TWO)(pooled, name="next_head")
        return steps(
            embedded=embedded, hidden=hidden, pooled=pooled, logits=logits, follows=follows
        )  # fmt: skip


@dataclass(frozen=True)
class BertClassifier(Encoder):
    """BERT that sorts sequences into classes: an affine map of the pooled vector.

    Source: Devlin et al., *BERT* (2019), section 4.1.
    """

    Y: Expr = sizes.Y

    signature: ClassVar[str] = "B T in V, B T in V_seg -> B Y"
    title: ClassVar[str] = "BERT with a classifier of the pooled vector"

    def forward(self, tokens: Tensor, segments: Tensor) -> Steps:
        embedded = self.embed(tokens, segments, param("E", self.V, self.d))
        hidden = self.encode(embedded)
        pooled = Pooler(self.d)(hidden, name="pooler")
        entered = Dropout()(pooled, name="dropout") if self.dropout else pooled
        logits = Linear(self.d, self.Y)(entered, name="classifier")
        return steps(embedded=embedded, hidden=hidden, pooled=pooled, logits=logits)


CONFIGURATIONS = {
    "bert-base": {"V": 30522, "d": 768, "L": 12, "h": 12, "T_max": 512, "T": 512, "B": 1},
    "bert-large": {"V": 30522, "d": 1024, "L": 24, "h": 16, "T_max": 512, "T": 512, "B": 1},
}
