"""BERT: a post-LN encoder over token, position and segment embeddings, with pooler and heads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, PreLNBlock
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.heads_and_losses.heads import DEVLIN
from symledger.components.norms.norms import LayerNorm
from symledger.errors import DefinitionError
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder import Encoder, PlainEncoder, Task, Trained
from symledger.notation.component import Steps
from symledger.notation.verbs import param


@dataclass(frozen=True)
class SegmentedEncoder(PlainEncoder):
    """An encoder whose tokens belong to segments; its table may score masked tokens again.

    Where that table is not ``tied`` implementations have a second bias, which nothing uses.
    """

    tied: Annotated[bool, Seldom()] = True

    spares: ClassVar[bool] = True
    enters: ClassVar[str] = "B T in V, B T in V_seg"

    @property
    def shares(self) -> bool:
        """Whether the scores of masked tokens use the table at the entrance."""
        return self.tied

    def forward(self, tokens: Tensor, segments: Tensor) -> Steps:
        """Add rows for each token, its segment and its position, apply L blocks, and answer."""
        E = param("E", self.V, self.d_table)
        x = self.look_up(tokens, E)
        x = x + TokenEmbedding(self.V_seg, self.d_table)(segments, name="segment_embedding")
        return self.ended(self.place(x), E)


@dataclass(frozen=True)
class CausalEncoder(PlainEncoder):
    """An encoder that may be a decoder: where it is ``causal`` a token sees none after it.

    So are ``cached`` tokens: they come after S − T others, whose keys and values are remembered.
    It cannot be where classes of the whole are scored: the first token, which is read there, has
    to see all others.
    """

    causal: bool = False
    cached: bool = False
    S: Expr = sizes.S

    @property
    def decoding(self) -> Mapping[str, str]:  # type: ignore[override]  # a choice decides
        """What enters in a step of decoding, where there is one."""
        return {"tokens": "B one in V", "segments": "B one in V_seg"} if self.causal else {}

    def block(self) -> Block:
        plain = super().block()
        if self.causal and self.classifies:
            raise DefinitionError(
                f"causal with head = {self.head} is not supported: classes of the whole are scored "
                "by what the first token saw, which would be itself alone. Choose one of them."
            )
        if not self.cached:
            return replace(plain, causal=self.causal)
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, causal=True, dropout=self.dropout,
            flash=self.flash, cached=self.S,
        )  # fmt: skip
        return replace(plain, attention=attention)

    def place(self, x: Tensor) -> Tensor:
        """Add a row for each position, behind those that are remembered."""
        before = self.S - x.shape[1] if self.cached else Integer(0)
        first = self.first_position + before
        return LearnedPositions(self.T_max, self.d_table, first)(x, name="positions")


@dataclass(frozen=True)
class Bert(CausalEncoder, SegmentedEncoder):
    """BERT: the hidden vectors of all tokens and the pooled one of the sequence, or a head on them.

    It was trained to score masked tokens, and to tell whether a sentence follows another.
    Source: Devlin et al., *BERT* (2019), sections 3 and A.2.
    """

    title: ClassVar[str] = "encoder-only transformer, post-LN LayerNorm, with pooler"
    references: ClassVar[tuple[str, ...]] = (f"{DEVLIN}, sections 3 and A.2",)


@dataclass(frozen=True)
class BertClassifier(SegmentedEncoder):
    """BERT where it scores classes of the whole sequence: it is no decoder then.

    Source: Devlin et al., *BERT* (2019), sections 4.1 and A.2.
    """

    head: Task = "sequences"

    title: ClassVar[str] = "BERT with a classifier of the pooled vector"
    references: ClassVar[tuple[str, ...]] = Bert.references


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


@dataclass(frozen=True)
class MegatronBert(Bert):
    """BERT with norms before its parts, and at the end of the stack in place of the entrance.

    Source: Shoeybi et al., *Megatron-LM* (2019), section 5.3 and figure 7.
    """

    title: ClassVar[str] = "encoder-only transformer, pre-LN LayerNorm, with pooler"
    references: ClassVar[tuple[str, ...]] = ("Shoeybi et al., Megatron-LM (2019), section 5.3",)

    def block(self) -> Block:
        plain = super().block()
        return PreLNBlock(**{f.name: getattr(plain, f.name) for f in fields(plain)})

    def enter(self, x: Tensor) -> Tensor:
        return Dropout()(x, name="embedding_dropout") if self.dropout else x

    def through(self, x: Tensor) -> Tensor:
        return LayerNorm(self.d)(super().through(x), name="final_norm")


@dataclass(frozen=True)
class XLMRobertaXL(MegatronBert):
    """XLM-R XL: RoBERTa with norms before its parts, and at the end of the stack.

    There may be a norm at the entrance as well (``embedding_norm``), as in RoBERTa-PreLayerNorm.
    Source: Goyal et al., *Larger-Scale Transformers for Multilingual Masked Language Modeling*
    (2021), section 2.
    """

    head: Trained = "bare"
    embedding_norm: bool = False

    first_position: ClassVar[int] = 2
    title: ClassVar[str] = "RoBERTa with norms before its parts"
    references: ClassVar[tuple[str, ...]] = (
        "Goyal et al., Larger-Scale Transformers for Multilingual Masked Language Modeling (2021), "
        "section 2",
    )

    def enter(self, x: Tensor) -> Tensor:
        return Encoder.enter(self, x) if self.embedding_norm else super().enter(x)
