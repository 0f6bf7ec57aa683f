"""Attention among the places of a grid, whose scores depend on the way from one to the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Mod, Symbol, floor

from symledger import sizes
from symledger.components.attention.dot_product import HeadAttention
from symledger.components.attention.masks import EVERYTHING
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import gather, param, table, view
from symledger.sizes import Size

LIU = "Liu et al., Swin Transformer (2021), section 3.2"
PLACED = "B (H_p W_p) h d_k, B (H_p W_p) h_kv d_k, B (H_p W_p) h_kv d_v"


@dataclass(frozen=True)
class GridAttention(HeadAttention):
    """Attention with a learned bias for each head and each way between places of H_p × W_p.

    A place lies up to H_p − 1 rows above or below another one, and up to W_p − 1 columns before or
    behind it: a table holds (2H_p − 1)(2W_p − 1) ways.
    Source: Liu et al., *Swin Transformer* (2021), section 3.2, equation 4.
    """

    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p

    signature: ClassVar[str] = f"{PLACED} -> B (H_p W_p) h d_v"
    title: ClassVar[str] = "attention with a learned bias for each way between two places (Swin)"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k, sizes.W_p: sizes.H_p,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{LIU}, equation 4",)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        return self.biased(q, k, v, None)

    def biased(self, q: Tensor, k: Tensor, v: Tensor, hidden: Tensor | None) -> Steps:
        """Mix the values with the biases added to the scores, and what hides some pairs."""
        bias = self.bias(q.shape[1])
        seen = bias if hidden is None else bias + hidden
        return steps(bias=bias, **self.mixed(q, k, v, EVERYTHING, seen).named)

    def bias(self, T: Expr) -> Tensor:
        """Return what is added to the scores of each head: a learned number for each way."""
        learned = gather(param("R", self.ways, self.h), self.way(T))
        return view("T S (g r) -> g r T S", learned, g=self.h_kv)

    @property
    def ways(self) -> Expr:
        """How many ways there are from a place to a place."""
        return (2 * self.H_p - 1) * (2 * self.W_p - 1)

    def way(self, T: Expr) -> Tensor:
        """Return which way leads from each of T places to each."""
        across = self.W_p

        def number(t: Symbol, s: Symbol) -> Expr:
            down = floor(t / across) - floor(s / across) + self.H_p - 1
            return down * (2 * across - 1) + Mod(t, across) - Mod(s, across) + across - 1

        return table("way", number, T, T, storage="index")
