"""Scaled dot-product attention as PyTorch's fused kernels do it: no score is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Piecewise, Symbol, oo

from symledger import sizes
from symledger.components.attention.masks import EVERYTHING, Masked, causal_mask
from symledger.ir.building import current_scope, inside
from symledger.ir.ops import Pairs
from symledger.ir.region import Values
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Scope, Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    maximum,
    noise,
    statistic,
    table,
    total,
    view,
)

ZERO = Integer(0)
SCORES = "B g r T k, B g S k -> B g r T S"
MIX = "B g r T S, B g S v -> B g r T v"
SPLIT = "B (g r) T k -> B g r T k"


@dataclass(frozen=True)
class FusedAttention(Component):
    """Mix values by softmax of the scaled products of queries and keys, which nobody keeps.

    Kept are queries, keys, values, a mask that is given, the result, and one log-sum-exp for each
    query and head; what ``dropout`` drew is drawn again. Causal, query t sees the keys s ≤ t. A
    mask is added to the scores.
    Source: Dao et al., *FlashAttention* (2022), section 3 and appendix B; PyTorch 2.13,
    ``scaled_dot_product_attention``.
    """

    gradients_together: ClassVar[tuple[str, ...]] = ("q", "k", "v")
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    scale: Expr = ONE
    causal: bool = False
    fewer: bool = True
    masked: bool = False
    dropout: Expr = ZERO

    @property
    def signature(self) -> str:  # type: ignore[override]  # a mask may be given
        """The type line."""
        mask = ", b g r t s" if self.masked else ""
        return f"B h T k, B h_kv S k, B h_kv S v{mask} -> B h T v"

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Steps:
        scores = self.scores(view(SPLIT, q, g=self.h_kv), k, mask)
        top = maximum(scores)
        e = apply("exp", scores - top)
        norm = total(e)
        lse = statistic(top + apply("log", norm))
        a = e / norm
        named = {}
        if self.dropout != ZERO:
            named["drawn"] = self.drawn(a.shape)
            a = self.dropped(a, named["drawn"])
        z = self.contract(MIX, a, v)
        return steps(**named, lse=lse, z=view("B g r T v -> B (g r) T v", z))

    def pullback(self, at: Values, dz: Tensor) -> Mapping[str, Tensor]:
        """Recompute the weights a from lse; then dscores = a (da − Σ dz z), as softmax does."""
        q = view(SPLIT, at.q, g=self.h_kv)
        dz, z = (view(SPLIT, x, g=self.h_kv) for x in (dz, at.z))
        mask = at.mask if self.masked else None
        a = apply("exp", self.scores(q, at.k, mask) - at.lse)
        da = self.contract("B g r T v, B g S v -> B g r T S", dz, at.v)
        da = self.dropped(da, at.drawn) if self.dropout != ZERO else da
        mixed = self.dropped(a, at.drawn) if self.dropout != ZERO else a
        dscores = a * (da - total(dz * z))
        ds = dscores if self.scale == ONE else dscores * self.scale
        dq = self.contract("B g r T S, B g S k -> B g r T k", ds, at.k)
        found = {
            "q": view("B g r T k -> B (g r) T k", dq),
            "k": self.contract("B g r T S, B g r T k -> B g S k", ds, q),
            "v": self.contract("B g r T S, B g r T v -> B g S v", mixed, dz),
        }
        if mask is not None:
            found["mask"] = summed_to(dscores, mask)
        return found

    def scores(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        """Return the scaled, masked products of queries and keys."""
        scores = self.contract(SCORES, q, k)
        scores = scores if self.scale == ONE else scores * self.scale
        future, _ = self.visible(q.shape[3], k.shape[2])
        scores = scores if future is None else scores + future
        return scores if mask is None else scores + mask

    def visible(self, T: Expr, S: Expr) -> Masked:
        """Return which of S keys each of T queries may see: those up to its own place.

        Where queries are ``fewer``, or as many, they see T(T + 1)/2 pairs.
        """
        if not self.causal:
            return EVERYTHING
        if T == S:
            return causal_mask(T, S)

        def seen(t: Symbol, s: Symbol) -> Expr:
            return Piecewise((ZERO, s <= t), (-oo, True))

        pairs = Pairs("T", "S", T * (T + 1) / 2) if self.fewer else None
        return table("mask", seen, T, S), pairs

    def contract(self, pattern: str, left: Tensor, right: Tensor) -> Tensor:
        """Contract over the visible pairs only, where the attention is causal."""
        names = pattern.split("->")[0].replace(",", " ").split()
        axes = dict(zip(names, left.shape + right.shape, strict=True))
        mask, pairs = self.visible(axes["T"], axes["S"])
        return einsum(pattern, left, right, pairs, mask if pairs else None)

    def drawn(self, shape: tuple[Expr, ...]) -> Tensor:
        """Return which weights stay: the backward pass draws the same again, and keeps none."""
        with inside(Scope("dropout", None, current_scope(), recompute=True)):
            return noise("mask", 1 - self.dropout, *shape)

    def dropped(self, x: Tensor, drawn: Tensor) -> Tensor:
        """Set to zero what was not drawn, and scale the rest."""
        made: Tensor = x * drawn * (1 / (1 - self.dropout))
        return made


def summed_to(x: Tensor, mask: Tensor) -> Tensor:
    """Return a gradient summed over the axes along which a mask was the same."""
    axes = tuple(i for i, n in enumerate(mask.shape) if n == ONE and x.shape[i] != ONE)
    return total(x, axes) if axes else x
