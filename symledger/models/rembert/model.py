"""RemBERT, RoFormer and BertGeneration: BERT with other tables, other positions, another head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block
from symledger.components.embeddings.embedding import LMHead
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.heads_and_losses.heads import MaskedLMHead, Pooled
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.models.albert.model import Narrow
from symledger.models.bert.model import CausalEncoder
from symledger.models.shared.encoder import Trained
from symledger.notation.component import Steps
from symledger.notation.verbs import param
from symledger.sizes import Size


@dataclass(frozen=True)
class RemBert(CausalEncoder, Narrow):
    """BERT whose tables at the entrance are narrow, and whose table of scores is another, wide one.

    Source: Chung et al., *Rethinking Embedding Coupling in Pre-trained Language Models* (2020),
    and its implementation.
    """

    d_out: Expr = sizes.d_out
    head: Trained = "masked"
    tied: Literal[False] = False
    activation: Gating = "gelu"
    dropout: Annotated[bool, Seldom()] = False
    flash: Annotated[bool, Seldom()] = False

    spares: ClassVar[bool] = False
    title: ClassVar[str] = "BERT with narrow tables at the entrance, and a wide one of scores"
    references: ClassVar[tuple[str, ...]] = (
        "Chung et al., Rethinking Embedding Coupling (2020)",
    )

    def through(self, x: Tensor) -> Tensor:
        return super().through(self.widen(x))

    def unmask(self, hidden: Tensor, E: Tensor) -> Tensor:
        head = MaskedLMHead(self.V, self.d, self.d_out, self.activation)
        return head(hidden, None, name="masked_head")


@dataclass(frozen=True)
class RoFormer(CausalEncoder, Narrow):
    """BERT whose queries and keys are turned by their position: rotary positions, where they began.

    Angles are kept in a table of T_max rows that is not trained, and that all layers read. Tables
    may be ``narrow``. Values may be turned as well, which nothing published asks for.
    Source: Su et al., *RoFormer* (2021), section 3, and its implementation.
    """

    head: Trained = "masked"
    tied: Annotated[bool, Seldom()] = True
    narrow: bool = False
    activation: Gating = "gelu"
    dropout: Annotated[bool, Seldom()] = False
    flash: Annotated[bool, Seldom()] = False

    pools: ClassVar[bool] = False
    title: ClassVar[str] = "encoder-only transformer, post-LN LayerNorm, rotary positions"
    references: ClassVar[tuple[str, ...]] = ("Su et al., RoFormer (2021), section 3",)

    @property
    def pooled_by(self) -> Pooled:  # type: ignore[override]  # what the blocks act by, here
        """What a pooled vector goes through."""
        return self.activation  # type: ignore[return-value]  # refused where it has weights

    @property
    def d_table(self) -> Expr:
        """The width of the tables at the entrance."""
        return self.d_e if self.narrow else self.d

    def place(self, x: Tensor) -> Tensor:
        """Hold the table of angles; blocks turn by them."""
        leave_idle(param("P", self.T_max, self.d_h, trainable=False))
        return x

    def through(self, x: Tensor) -> Tensor:
        return super().through(self.widen(x) if self.narrow else x)

    def block(self) -> Block:
        plain = super().block()
        if plain.attention is None:
            return replace(plain, rotary=True)
        assert isinstance(plain.attention, Attention)
        return replace(plain, attention=replace(plain.attention, rotary=True))


@dataclass(frozen=True)
class BertGeneration(CausalEncoder):
    """BERT without segments and pooler, whose head is the table of tokens with a bias alone.

    Source: Rothe, Narayan, Severyn, *Leveraging Pre-trained Checkpoints for Sequence Generation
    Tasks* (2020), and its implementation.
    """

    head: Literal["masked", "bare"] = "masked"
    tied: Annotated[bool, Seldom()] = True
    activation: Gating = "gelu"
    dropout: Annotated[bool, Seldom()] = False
    flash: Annotated[bool, Seldom()] = False

    pools: ClassVar[bool] = False
    title: ClassVar[str] = "BERT to write with, its table of tokens as the head"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Rothe, Narayan, Severyn, Leveraging Pre-trained Checkpoints (2020)",
    )

    @property
    def decoding(self) -> Mapping[str, str]:  # type: ignore[override]  # a choice decides
        """What enters in a step of decoding, where there is one."""
        return {"tokens": "B one in V"} if self.causal else {}

    def forward(self, tokens: Tensor) -> Steps:
        """Add rows for each token and its position, apply L blocks, and answer."""
        E = param("E", self.V, self.d)
        return self.ended(self.place(self.look_up(tokens, E)), E)

    def unmask(self, hidden: Tensor, E: Tensor) -> Tensor:
        if not self.tied:
            leave_idle(param("b_idle", self.V))
        scores = LMHead(self.V, self.d)(hidden, E if self.tied else None, name="table")
        return scores + param("b", self.V)
