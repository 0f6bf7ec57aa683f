"""EmbeddingGemma 2: Gemma 4's layers as an encoder of texts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.gemma4.model import Gemma4
from symledger.models.shared.fed import LayerTables
from symledger.models.shared.lending import LendingAttention
from symledger.notation.component import Steps, steps
from symledger.sizes import Size


@dataclass(frozen=True)
class EmbeddingGemma2(Gemma4):
    """The encoder of texts of EmbeddingGemma 2: Gemma 4's layers, which see both ways.

    What each layer is fed is mapped from a token's vector: nothing is looked up. What comes out is
    mapped to d_proj numbers; their mean is the embedding of a text. Nothing is decoded.
    Source: transformers 5.23, ``EmbeddingGemma2TextModel``.
    """

    d_proj: Expr = sizes.d_proj

    head: Literal["bare"] = "bare"
    tied: Literal[True] = True
    cached: Literal[False] = False
    capped_logits: Literal[False] = False
    fed: Literal[True] = True
    shared: Literal["none"] = "none"
    alone: Literal["none"] = "none"
    doubled: Literal[False] = False
    alike: Literal[False] = False
    experts: Literal[False] = False

    title: ClassVar[str] = "transformer encoder of texts, heads of two widths, layers fed by a map"
    assumptions: ClassVar[dict[Size, Expr]] = {
        size: e for size, e in Gemma4.assumptions.items() if size is not sizes.V_ple
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, EmbeddingGemma2TextModel",)
    decoding: ClassVar[dict[str, str]] = {}

    @property
    def out(self) -> Expr:
        return self.d_proj

    def attention(self) -> LendingAttention:
        return replace(super().attention(), causal=False)

    def tables(self, x: Tensor) -> Tensor:
        tables = LayerTables(self.d, self.L, self.d_ple, looked=False)
        return tables(x, name="tables")

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        return Linear(self.d, self.d_proj, bias=False)(x, name="embedding")

    def scored(self, x: Tensor, E: Tensor) -> Steps:
        """Normalize what the layers gave, and map it."""
        x = self.normalize(x)
        return steps(x=x, y=self.score(x, E))
