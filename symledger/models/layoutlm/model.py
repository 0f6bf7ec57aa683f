"""LayoutLM: BERT that is told where on a page each word stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.models.bert.model import SegmentedEncoder
from symledger.models.shared.encoder import Trained
from symledger.notation.component import Steps
from symledger.notation.verbs import param

TABLE = "B T in n_pos"


@dataclass(frozen=True)
class LayoutLM(SegmentedEncoder):
    """BERT whose words have a box on a page: its edges, its height and its width are looked up.

    Left and right share a table of n_pos rows, as do top and bottom. The first token is pooled
    whatever the head is, and left where nothing reads it.
    Source: Xu et al., *LayoutLM* (2020), and its implementation.
    """

    n_pos: Expr = sizes.n_pos
    head: Trained = "masked"
    tied: Annotated[bool, Seldom()] = True
    activation: Gating = "gelu"
    dropout: Annotated[bool, Seldom()] = False
    flash: Annotated[bool, Seldom()] = False

    enters: ClassVar[str] = ", ".join((SegmentedEncoder.enters, *(TABLE,) * 6))
    title: ClassVar[str] = "BERT whose words have a place on a page"
    references: ClassVar[tuple[str, ...]] = ("Xu et al., LayoutLM (2020)",)

    def forward(  # type: ignore[override]  # where a word stands enters as well
        self, tokens: Tensor, segments: Tensor, left: Tensor, right: Tensor, top: Tensor,
        bottom: Tensor, heights: Tensor, widths: Tensor,
    ) -> Steps:  # fmt: skip
        """Add rows for each token, its segment, its position and its box; apply L blocks."""
        E = param("E", self.V, self.d)
        x = self.look_up(tokens, E)
        x = x + TokenEmbedding(self.V_seg, self.d)(segments, name="segment_embedding")
        places = {"X": (left, right), "Y": (top, bottom), "H": (heights,), "W": (widths,)}
        for name, found in places.items():
            rows = param(f"P_{name}", self.n_pos, self.d)
            for i, index in enumerate(found):
                embedding = TokenEmbedding(self.n_pos, self.d)
                x = x + embedding(index, rows, name=f"{name.lower()}_{i}")
        return self.ended(self.place(x), E)

    def unmask(self, hidden: Tensor, E: Tensor) -> Tensor:
        leave_idle(self.pool(hidden))
        return super().unmask(hidden, E)

    def classify(self, x: Tensor) -> Tensor:
        if self.head == "tokens":
            leave_idle(self.pool(x))
        return super().classify(x)
