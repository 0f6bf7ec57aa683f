"""Attention that keeps no score: the backward pass computes them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, sqrt

from symledger import sizes
from symledger.components.attention.dot_product import MIX, SCORES, SEEN, ScaledDotProduct
from symledger.components.attention.masks import EVERYTHING, Masked, causal_mask, recent_mask
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, maximum, statistic, total, view
from symledger.sizes import Size


@dataclass(frozen=True)
class FlashAttention(Component):
    """Scaled dot-product attention that keeps no score: the backward pass recomputes them.

    Kept are queries, keys, values, the result, and one log-sum-exp for each query and head.
    The price is five contractions on the way back where two went forward. Given w, a query of
    causal attention sees the last w positions only, and no key lies further back.
    Source: Dao et al., *FlashAttention* (2022), section 3 and appendix B.
    """

    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    causal: bool = False
    w: Expr | None = None

    signature: ClassVar[str] = SEEN
    title: ClassVar[str] = "scaled dot-product attention that recomputes its scores"
    assumptions: ClassVar[dict[Size, Expr]] = ScaledDotProduct.assumptions
    references: ClassVar[tuple[str, ...]] = (
        "Dao et al., FlashAttention (2022), section 3 and appendix B",
    )

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        groups = view("B T (g r) k -> B T g r k", q, g=self.h_kv)
        scores = self.scores(groups, k)
        top = maximum(scores)
        e = apply("exp", scores - top)
        norm = total(e)
        lse = statistic(top + apply("log", norm))
        z = self.contract(MIX, e / norm, v)
        return steps(lse=lse, z=view("B T g r v -> B T (g r) v", z))

    def pullback(self, at: Values, dz: Tensor) -> Mapping[str, Tensor]:
        """Recompute the weights a from lse; then dscores = a (da − Σ dz z), as softmax does."""
        q = view("B T (g r) k -> B T g r k", at.q, g=self.h_kv)
        dz, z = (view("B T (g r) v -> B T g r v", x, g=self.h_kv) for x in (dz, at.z))
        a = apply("exp", self.scores(q, at.k) - at.lse)
        da = self.contract("B T g r v, B S g v -> B g r T S", dz, at.v)
        inner = view("B T g r one -> B g r T one", total(dz * z))
        ds = a * (da - inner) * (1 / sqrt(self.d_k))
        dq = self.contract("B g r T S, B S g k -> B T g r k", ds, at.k)
        return {
            "q": view("B T g r k -> B T (g r) k", dq),
            "k": self.contract("B g r T S, B T g r k -> B S g k", ds, q),
            "v": self.contract("B g r T S, B T g r v -> B S g v", a, dz),
        }

    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the scaled, masked products of queries and keys."""
        scores: Tensor = self.contract(SCORES, q, k) * (1 / sqrt(self.d_k))
        mask, _ = self.masked(q.shape[1], k.shape[1])
        return scores if mask is None else scores + mask

    def masked(self, T: Expr, S: Expr) -> Masked:
        """Return which of S keys each of T queries may see."""
        if not self.causal:
            return EVERYTHING
        return causal_mask(T, S) if self.w is None else recent_mask(T, S, self.w)

    def contract(self, pattern: str, left: Tensor, right: Tensor) -> Tensor:
        """Contract over the visible pairs only, where the attention is causal."""
        names = pattern.split("->")[0].replace(",", " ").split()
        axes = dict(zip(names, left.shape + right.shape, strict=True))
        mask, pairs = self.masked(axes["T"], axes["S"])
        return einsum(pattern, left, right, pairs, mask)
