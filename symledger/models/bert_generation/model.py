"""BERT for generation: no segments and no pooler, its table scores tokens as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PostLNBlock
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.notation.verbs import param
from symledger.sizes import Size


@dataclass(frozen=True)
class BertGeneration(Decoder):
    """BERT that writes, or reads for one that writes: the latter is not ``causal``.

    Tokens are scored by the table that embeds them, and a bias of each. Where that table is not
    ``tied``, the implementation has a second bias, which nothing uses.
    Source: Rothe, Narayan, Severyn, *Leveraging Pre-trained Checkpoints for Sequence Generation
    Tasks* (2020), section 2.
    """

    Y: Expr = ONE
    T_max: Expr = sizes.T_max
    head: Literal["lm", "bare"] = "lm"
    activation: Activation = "gelu"
    causal: bool = True

    head_bias: ClassVar[bool] = True
    title: ClassVar[str] = "BERT for generation, post-LN LayerNorm, no segments and no pooler"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Rothe, Narayan, Severyn, Leveraging Pre-trained Checkpoints for Sequence Generation Tasks "
        "(2020), section 2",
    )

    def place(self, x: Tensor) -> Tensor:
        placed = LearnedPositions(self.T_max, self.d, self.first(x))(x, name="positions")
        return LayerNorm(self.d)(placed, name="embedding_norm")

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, bias=True, causal=self.causal,
            cached=self.seen,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        return PostLNBlock(self.d, norm="layer", attention=attention, network=network)

    def normalize(self, x: Tensor) -> Tensor:
        return x

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        if self.head == "lm" and not self.tied:
            leave_idle(param("b_idle", self.V))
        return super().score(x, E)
