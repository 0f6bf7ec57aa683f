"""DistilBERT: half of BERT's blocks, without segments and without a pooler of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symledger.components.heads_and_losses.heads import Pooled
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder import PlainEncoder, Trained
from symledger.notation.component import Steps
from symledger.notation.verbs import param


@dataclass(frozen=True)
class DistilBert(PlainEncoder):
    """BERT's encoder with half of the blocks; what it was trained for is to unmask tokens.

    The table of tokens is used again for that, where it is ``tied``.
    Source: Sanh et al., *DistilBERT* (2019), section 2.
    """

    head: Trained = "masked"
    tied: bool = True

    pools: ClassVar[bool] = False
    pooled_by: ClassVar[Pooled] = "relu"
    title: ClassVar[str] = "encoder-only transformer, post-LN LayerNorm, without segments"
    references: ClassVar[tuple[str, ...]] = ("Sanh et al., DistilBERT (2019), section 2",)

    def forward(self, tokens: Tensor) -> Steps:
        """Add rows for each token and its position, apply L blocks, and answer."""
        E = param("E", self.V, self.d)
        return self.ended(self.place(self.look_up(tokens, E)), E)

    @property
    def shares(self) -> bool:
        """Whether the scores of masked tokens use the table at the entrance."""
        return self.tied
