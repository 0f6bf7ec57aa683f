"""Bags of tokens: their rows of the table E, put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.convolution.adaptive import AdaptiveMaxPool1d
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import gather, param, reduce, view


@dataclass(frozen=True)
class EmbeddingBag(Component):
    """The mean, the sum or the largest numbers of the rows of T tokens, for each bag of them.

    Kept are the tokens, and of the largest numbers where they stand.

    Source: Joulin et al., *Bag of Tricks for Efficient Text Classification* (2016), section 2.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    mode: Literal["mean", "sum", "max"] = "mean"

    signature: ClassVar[str] = "B T in V -> B d"
    title: ClassVar[str] = "mean, sum or maximum of the learned rows of a bag of tokens"
    references: ClassVar[tuple[str, ...]] = (
        "Joulin et al., Bag of Tricks for Efficient Text Classification (2016), section 2",
    )

    def forward(self, tokens: Tensor) -> Steps:
        rows = gather(param("E", self.V, self.d), tokens)
        if self.mode == "max":
            largest = AdaptiveMaxPool1d(T_o=ONE)(view("b t d -> b d t", rows), name="largest")
            return steps(rows=rows, x=view("b d () -> b d", largest))
        x = reduce(rows, (1,))
        return steps(rows=rows, x=x * (ONE / rows.shape[1]) if self.mode == "mean" else x)
