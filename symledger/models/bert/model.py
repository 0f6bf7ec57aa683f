"""BERT: a post-LN encoder over token, position and segment embeddings, with pooler and heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.heads_and_losses.heads import DEVLIN
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder import PlainEncoder, Trained
from symledger.notation.component import Steps
from symledger.notation.verbs import param


@dataclass(frozen=True)
class Bert(PlainEncoder):
    """BERT: the hidden vectors of all tokens and the pooled one of the sequence, or a head on them.

    It was trained to score masked tokens, and to tell whether a sentence follows another.
    Source: Devlin et al., *BERT* (2019), sections 3 and A.2.
    """

    enters: ClassVar[str] = "B T in V, B T in V_seg"
    title: ClassVar[str] = "encoder-only transformer, post-LN LayerNorm, with pooler"
    references: ClassVar[tuple[str, ...]] = (f"{DEVLIN}, sections 3 and A.2",)

    def forward(self, tokens: Tensor, segments: Tensor) -> Steps:
        """Add rows for each token, its segment and its position, apply L blocks, and answer."""
        E = param("E", self.V, self.d_table)
        x = self.look_up(tokens, E)
        x = x + TokenEmbedding(self.V_seg, self.d_table)(segments, name="segment_embedding")
        return self.ended(self.place(x), E)


@dataclass(frozen=True)
class Roberta(Bert):
    """RoBERTa: BERT whose positions are counted from the row behind that of the padding token.

    That is row 2 in everything published: two rows of the table are never used.
    Source: Liu et al., *RoBERTa* (2019), section 3, and its implementation.
    """

    head: Trained = "bare"

    first_position: ClassVar[int] = 2
    title: ClassVar[str] = "BERT trained longer, its positions counted from 2"
    references: ClassVar[tuple[str, ...]] = ("Liu et al., RoBERTa (2019), section 3",)
