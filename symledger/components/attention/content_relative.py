"""Attention whose scores have a part for how far a key lies back, which the query's token decides.

Unlike a bias that is learned for each distance, it is a mixture of learned profiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Piecewise, Symbol

from symledger import sizes
from symledger.components.attention.dot_product import SEEN, HeadAttention
from symledger.components.attention.masks import Masked, causal_mask, recent_mask
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import einsum, gather, param, table, view
from symledger.sizes import Size

INKLING = "transformers 5.23, InklingRelativeLogits"


@dataclass(frozen=True)
class ContentRelativeAttention(HeadAttention):
    """Causal attention in which the token of a query says how much each distance counts.

    d_rel numbers of each head of a token mix as many learned profiles, which say something of each
    of n_r distances; what lies further back is given nothing. The whole profile of a query is
    made, and a number of it picked for every key.
    Source: transformers 5.23, ``InklingRelativeLogits``; Shaw et al., *Self-Attention with Relative
    Position Representations* (2018), section 3.2, for learned vectors of distances.
    """

    d_rel: Expr = sizes.d_rel
    n_r: Expr = sizes.n_r

    signature: ClassVar[str] = f"{SEEN.partition(' ->')[0]}, B T h d_rel -> B T h d_v"
    title: ClassVar[str] = "causal attention, distances counting as the query's token says"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k, sizes.S: sizes.T,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        INKLING,
        "Shaw et al., Self-Attention with Relative Position Representations (2018), section 3.2",
    )

    def forward(self, q: Tensor, k: Tensor, v: Tensor, r: Tensor) -> Steps:
        T, S = q.shape[1], k.shape[1]
        profile = einsum("B T h e, n e -> T n B h", r, param("R", self.n_r, self.d_rel))
        picked = gather(profile, self.distances(T, S), batch=1)
        bias = view("T S B (g r) -> B g r T S", picked, g=self.h_kv) * self.reached(T, S)
        mixed = self.mixed(q, k, v, self.masked(T, S), bias)
        return steps(profile=profile, bias=bias, **mixed.named)

    def masked(self, T: Expr, S: Expr) -> Masked:
        """Return which of S keys each of T queries may see."""
        return causal_mask(T, S)

    def distances(self, T: Expr, S: Expr) -> Tensor:
        """Return how far each key lies back, the nearest or furthest one where it is none."""

        def back(t: Symbol, s: Symbol) -> Expr:
            distance = t + S - T - s
            near = Piecewise((distance, distance < self.n_r), (self.n_r - 1, True))
            return Piecewise((Integer(0), distance < 0), (near, True))

        return table("distance", back, T, S, storage="index")

    def reached(self, T: Expr, S: Expr) -> Tensor:
        """Return a table that is 1 where a key lies as far back as profiles reach, 0 elsewhere."""

        def inside(t: Symbol, s: Symbol) -> Expr:
            distance = t + S - T - s
            near = Piecewise((Integer(1), distance < self.n_r), (Integer(0), True))
            return Piecewise((Integer(0), distance < 0), (near, True))

        return table("reached", inside, T, S)


@dataclass(frozen=True)
class ContentRelativeWindowAttention(ContentRelativeAttention):
    """The same to the last w positions, where no other keys are there: S ≤ T + w − 1.

    Source: transformers 5.23, ``InklingAttention``.
    """

    w: Expr = sizes.w

    title: ClassVar[str] = "the same to the last w positions"
    references: ClassVar[tuple[str, ...]] = (INKLING,)

    def masked(self, T: Expr, S: Expr) -> Masked:
        return recent_mask(T, S, self.w)
