"""Statistical top-k: of a row only what stands out is kept, and nothing is sorted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Rational

from symledger import sizes
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, mean

DEVIATIONS = Rational(1, 2)
"""How many standard deviations above the mean what is kept begins: here three in ten are kept of
what is normally distributed; another number would be counted the same."""


@dataclass(frozen=True)
class StatisticalTopK(Component):
    """What a row has above its mean and so many standard deviations; zero elsewhere.

    If a row is normally distributed, a given share of it is kept, which is what choosing the
    largest would do, but for the threshold that is subtracted.
    Source: You et al., *Spark Transformer: Reactivating Sparsity in FFN and Attention* (2025),
    section 3; transformers 5.23, ``Gemma3nTextMLP._gaussian_topk``.
    """

    n: Expr = sizes.n

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "what stands out of a row, by its mean and standard deviation"
    references: ClassVar[tuple[str, ...]] = (
        "You et al., Spark Transformer: Reactivating Sparsity in FFN and Attention (2025)",
        "transformers 5.23, Gemma3nTextMLP",
    )

    def forward(self, x: Tensor) -> Steps:
        mu = mean(x)
        deviation = apply("sqrt", mean(apply("square", x - mu)))
        threshold = mu + deviation * DEVIATIONS
        return steps(mu=mu, deviation=deviation, y=apply("relu", x - threshold))
