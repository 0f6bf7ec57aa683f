"""RemBERT: tables narrow where tokens enter, and wide where they are scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.heads_and_losses.heads import MaskedLMHead
from symledger.ir.tensor import Tensor
from symledger.models.albert.model import Narrow
from symledger.models.bert.model import CausalEncoder
from symledger.models.shared.encoder import Trained


@dataclass(frozen=True)
class RemBert(CausalEncoder, Narrow):
    """BERT whose tables differ: d_e wide at the entrance, d_o where masked tokens are scored.

    Nothing is tied, so the latter is not needed where no token is scored.
    Source: Chung et al., *Rethinking embedding coupling in pre-trained language models* (2020),
    sections 4 and 6.
    """

    d_o: Expr = sizes.d_o
    head: Trained = "bare"
    tied: Literal[False] = False

    spares: ClassVar[bool] = False
    title: ClassVar[str] = "BERT with a narrow table for what enters and a wide one for scores"
    references: ClassVar[tuple[str, ...]] = (
        "Chung et al., Rethinking embedding coupling in pre-trained language models (2020)",
    )

    def through(self, x: Tensor) -> Tensor:
        """Let every token see all others, L times."""
        return super().through(self.widen(x))

    def unmask(self, hidden: Tensor, E: Tensor) -> Tensor:
        """Score the tokens that may stand behind a mask, by a table of its own."""
        head = MaskedLMHead(self.V, self.d, self.d_o, self.activation)
        return head(hidden, None, name="masked_head")
