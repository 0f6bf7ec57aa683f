"""BlenderBot: BART's stacks with a row for every position, and norms where each size has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.bart.model import Tabled


@dataclass(frozen=True)
class Blenderbot(Tabled):
    """The encoder-decoder transformer of BlenderBot: pre-LN, no norm of what enters.

    Source: Roller et al., *Recipes for building an open-domain chatbot* (2020), section 2.2.
    """

    title: ClassVar[str] = "encoder-decoder transformer of BlenderBot, pre-LN LayerNorm"
    references: ClassVar[tuple[str, ...]] = (
        "Roller et al., Recipes for building an open-domain chatbot (2020), section 2.2",
    )

    def hear(self, source: Tensor, E: Tensor) -> Tensor:
        """Look the source up, and place it."""
        return self.placed(super().hear(source, E), "source", Integer(0))

    def place(self, x: Tensor) -> Tensor:
        """Place the tokens."""
        return self.placed(x, "token", self.first(x))

    def placed(self, x: Tensor, name: str, first: Expr) -> Tensor:
        """Add a row for each position."""
        return LearnedPositions(self.T_max, self.d, first)(x, name=f"{name}_positions")


@dataclass(frozen=True)
class BlenderbotSmall(Blenderbot):
    """The encoder-decoder transformer of the smallest BlenderBot: post-LN, what enters normalized.

    The encoder normalizes what was placed, the decoder before it places.
    Source: Roller et al., *Recipes for building an open-domain chatbot* (2020), section 2.2;
    transformers 5.23, ``BlenderbotSmallModel``.
    """

    post: ClassVar[bool] = True
    title: ClassVar[str] = "encoder-decoder transformer of BlenderBot, post-LN LayerNorm"
    references: ClassVar[tuple[str, ...]] = (
        *Blenderbot.references, "transformers 5.23, BlenderbotSmallModel",
    )  # fmt: skip

    def hear(self, source: Tensor, E: Tensor) -> Tensor:
        """Look the source up, place and normalize it."""
        return LayerNorm(self.d)(super().hear(source, E), name="source_norm")

    def place(self, x: Tensor) -> Tensor:
        """Normalize the tokens, and place them."""
        return super().place(LayerNorm(self.d)(x, name="token_norm"))
