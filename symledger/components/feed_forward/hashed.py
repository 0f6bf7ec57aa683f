"""Mixtures whose weights of experts are shares of scores, and where a table may say which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.experts import Experts
from symledger.components.feed_forward.nonlinearities import Activation, Seldom, act
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, gather, indices, param, scatter, total, view

ROLLER = "Roller et al., Hash Layers For Large Sparse Models (2021), section 3"
PAPER = "DeepSeek-AI, DeepSeek-V4 (2026), section 2.1"
V4 = "transformers 5.23, DeepseekV4HashRouter"


@dataclass(frozen=True)
class ShareRouter(Component):
    """How much each expert counts for a row that it is given: its share of the chosen scores.

    Scores are square roots of a softplus of a linear map. Which experts are ``chosen`` for a row
    enters as whole numbers.
    Source: transformers 5.23, ``DeepseekV4HashRouter`` and ``DeepseekV4TopKRouter``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d

    signature: ClassVar[str] = "N d, N k in E, E T_e in N -> E T_e one"
    title: ClassVar[str] = "shares of the scores of the experts that rows are sent to"

    def forward(self, x: Tensor, chosen: Tensor, slots: Tensor) -> Steps:
        logits = einsum("N d, d E -> N E", x, param("W", self.d, self.E))
        scores = act("sqrtsoftplus", logits)
        sums = view("N () -> N", total(gather(scores, chosen, batch=1)))
        picked = gather(view("N E -> E N", scores), slots, batch=1)
        weights = picked / gather(sums, slots)
        return steps(logits=logits, scores=scores, weights=view("E T_e -> E T_e ()", weights))


@dataclass(frozen=True)
class HashRoutedMixture(Component):
    """A mixture of experts where a table says which ones a token is sent to, by its number.

    The table, of V × k whole numbers, is fixed before training and no parameter; the router says
    how much each of the k experts counts, and learns that alone. Not ``hashed``, the experts with
    the largest scores are chosen, as in other mixtures. Which rows an expert is given follows from
    the table and enters as whole numbers: T_e = k·B·T/E on average. Values inside experts are cut
    off; a family may put a network ``beside``, for every token.
    Source: Roller et al., *Hash Layers For Large Sparse Models* (2021), section 3; DeepSeek-AI,
    *DeepSeek-V4* (2026), section 2.1; transformers 5.23, ``DeepseekV4SparseMoeBlock``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    V: Expr = sizes.V
    activation: Activation = "silu"
    hashed: Annotated[bool, Seldom()] = True
    beside: Component | None = None

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixture of experts where a table says which, by the token"
    references: ClassVar[tuple[str, ...]] = (ROLLER, PAPER, V4)

    def forward(self, x: Tensor) -> Steps:
        B, T, _ = x.shape
        rows = view("B T d -> (B T) d", x)
        slots = indices("slots", B * T, self.E, self.k * B * T / self.E, average=True)
        router = ShareRouter(self.E, self.k, self.d)
        weights = router(rows, self.chosen(B * T), slots, name="router")
        experts = Experts(self.E, self.k, self.d, self.d_ff, self.activation, cut=True)
        made = experts(gather(rows, slots), name="experts") * weights
        y = view("(B T) d -> B T d", scatter(made, slots, rows.shape), B=B)
        if self.beside:
            y = y + self.beside(x, name="shared_experts")
        return steps(rows=rows, weights=weights, made=made, y=y)

    def chosen(self, N: Expr) -> Tensor:
        """Return which experts are chosen for each row: those of the table, or the best."""
        if not self.hashed:
            return indices("chosen", self.E, N, self.k)
        table = indices("table", self.E, self.V, self.k)
        return replace(gather(table, indices("tokens", self.V, N)), storage="index")
