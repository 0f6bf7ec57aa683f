"""Attention among the places of a grid: how many rows and columns apart they are is learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Symbol

from symledger import sizes
from symledger.components.attention.dot_product import HeadAttention
from symledger.components.attention.grid import PLACED
from symledger.components.attention.masks import EVERYTHING
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import copied, einsum, gather, param, table, view
from symledger.sizes import Size

LI = "Li et al., MViTv2: Improved Multiscale Vision Transformers (2022), section 4.1"


@dataclass(frozen=True)
class DecomposedAttention(HeadAttention):
    """Attention whose scores have a part for the rows and a part for the columns between places.

    Each is a product of the query with what is learned for that many rows, 2H_p − 1 vectors, or
    that many columns, 2W_p − 1: as wide as a head, and the same for all heads. Queries are written
    down row by row for the one, and column by column for the other.
    Source: Li et al., *MViTv2* (2022), section 4.1, decomposed relative position embedding;
    Kirillov et al., *Segment Anything* (2023), appendix A and its implementation, for its use.
    """

    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p

    signature: ClassVar[str] = f"{PLACED} -> B (H_p W_p) h d_v"
    title: ClassVar[str] = "attention with learned vectors for rows and for columns between places"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k, sizes.W_p: sizes.H_p,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        LI, "Kirillov et al., Segment Anything (2023), appendix A",
    )

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        B = q.shape[0]
        rows = copied(view("B (i j) h k -> i (B j h) k", q, i=self.H_p))
        columns = copied(view("B (i j) h k -> j (B i h) k", q, i=self.H_p))
        down = einsum("i n k, i a k -> i n a", rows, self.way("R_h", self.H_p))
        across = einsum("j n k, j c k -> j n c", columns, self.way("R_w", self.W_p))
        both = view("i (B j h) a -> B h i j a ()", down, B=B, h=self.h) + view(
            "j (B i h) c -> B h i j () c", across, B=B, h=self.h
        )
        bias = view("B (g r) i j a c -> B g r (i j) (a c)", both, g=self.h_kv)
        return steps(
            down=down, across=across, bias=bias, **self.mixed(q, k, v, EVERYTHING, bias).named
        )

    def way(self, name: str, length: Expr) -> Tensor:
        """Return the vector that is learned for the way between any two rows, or columns."""

        def apart(t: Symbol, s: Symbol) -> Expr:
            return t - s + length - 1

        ways = table("way", apart, length, length, storage="index")
        return gather(param(name, 2 * length - 1, self.d_k), ways)
