"""Attention, once: separate query and key/value heads, head widths, query and key lengths.

Multi-head, grouped, multi-query and cross-attention and decoding against a cache are cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Piecewise, Symbol, oo, sqrt

from symledger import sizes
from symledger.components.dropout import Dropout
from symledger.components.linear import Linear
from symledger.components.positions import RotaryPositions
from symledger.components.softmax import Softmax
from symledger.core.component import Component, Steps, steps
from symledger.core.fused import Values
from symledger.core.notation import (
    apply,
    einsum,
    join,
    maximum,
    state,
    statistic,
    table,
    total,
    view,
)  # fmt: skip
from symledger.core.ops import Pairs
from symledger.core.tensor import Tensor
from symledger.errors import DefinitionError
from symledger.sizes import Size

VASWANI = "Vaswani et al., Attention Is All You Need (2017), section 3.2"
SHAZEER = "Shazeer, Fast Transformer Decoding: One Write-Head is All You Need (2019)"
AINSLIE = "Ainslie et al., GQA (2023)"
SCORES = "B T g r k, B S g k -> B g r T S"
MIX = "B g r T S, B S g v -> B T g r v"


def causal_mask(T: Expr, S: Expr) -> tuple[Tensor, Pairs]:
    """Return a table that is 0 where query t may see key s, −∞ elsewhere, and its true pairs.

    The last query sees all S keys, the one before all but the last, and so on: query t sees key
    s when s ≤ t + S − T. That leaves T·S − T(T−1)/2 pairs; T(T+1)/2 when S = T.
    """

    def visible(t: Symbol, s: Symbol) -> Expr:
        return Piecewise((Integer(0), s <= t + S - T), (-oo, True))

    return table("mask", visible, T, S), Pairs("T", "S", T * S - T * (T - 1) / 2)


@dataclass(frozen=True)
class HeadAttention(Component):
    """What every attention of heads shares: its sizes, and the way from scores to a mixture."""

    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v

    def mixed(
        self, q: Tensor, k: Tensor, v: Tensor, masked: tuple[Tensor | None, Pairs | None],
        bias: Tensor | None = None, dropout: bool = False,
    ) -> Steps:  # fmt: skip
        """Mix the values by softmax of the scores, to which a bias and a mask may be added."""
        mask, pairs = masked
        q = view("B T (g r) k -> B T g r k", q, g=self.h_kv)
        scores = einsum(SCORES, q, k, pairs, mask) * (1 / sqrt(self.d_k))
        scores = scores if bias is None else scores + bias
        a = Softmax()(scores if mask is None else scores + mask, name="softmax")
        p = Dropout()(a, name="dropout") if dropout else a
        z = einsum(MIX, p, v, pairs, mask)
        return steps(scores=scores, a=a, z=view("B T g r v -> B T (g r) v", z))


@dataclass(frozen=True)
class ScaledDotProduct(HeadAttention):
    """Each query's mixture of values, weighted by softmax of its products with the keys.

    Query heads share key/value heads in groups of h/h_kv. Run operation by operation: the
    weights on all T·S pairs are kept for the backward pass.
    Source: Vaswani et al. (2017), section 3.2.1, equation 1; Ainslie et al. (2023) for groups.
    """

    causal: bool = False
    dropout: bool = False

    signature: ClassVar[str] = "B T h d_k, B S h_kv d_k, B S h_kv d_v -> B T h d_v"
    title: ClassVar[str] = "scaled dot-product attention, operation by operation"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k, sizes.S: sizes.T,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "multi-query": {sizes.h_kv: 1, sizes.d_v: sizes.d_k, sizes.S: sizes.T},
        "decoding one token": {sizes.T: 1, sizes.d_v: sizes.d_k},
    }
    references: ClassVar[tuple[str, ...]] = (VASWANI + ".1, equation 1", AINSLIE)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        masked = causal_mask(q.shape[1], k.shape[1]) if self.causal else (None, None)
        return self.mixed(q, k, v, masked, dropout=self.dropout)


@dataclass(frozen=True)
class FlashAttention(Component):
    """Scaled dot-product attention that keeps no score: the backward pass recomputes them.

    Kept are queries, keys, values, the result, and one log-sum-exp for each query and head.
    The price is five contractions on the way back where two went forward.
    Source: Dao et al., *FlashAttention* (2022), section 3 and appendix B.
    """

    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    causal: bool = False

    signature: ClassVar[str] = "B T h d_k, B S h_kv d_k, B S h_kv d_v -> B T h d_v"
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
        if not self.causal:
            return scores
        return scores + causal_mask(q.shape[1], k.shape[1])[0]

    def contract(self, pattern: str, left: Tensor, right: Tensor) -> Tensor:
        """Contract over the visible pairs only, where the attention is causal."""
        if not self.causal:
            return einsum(pattern, left, right)
        names = pattern.split("->")[0].replace(",", " ").split()
        axes = dict(zip(names, left.shape + right.shape, strict=True))
        mask, pairs = causal_mask(axes["T"], axes["S"])
        return einsum(pattern, left, right, pairs, mask)


@dataclass(frozen=True)
class Attention(Component):
    """Queries from x; keys and values from x, from another sequence, or from a cache as well.

    Each is an affine map, its result split into heads; what the heads mix is mapped back to d.
    Given ``memory`` it is cross-attention; given past keys and values it decodes against a cache.
    Source: Vaswani et al. (2017), section 3.2.2; Shazeer (2019) and Ainslie et al. (2023) for
    fewer key/value heads.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    bias: bool = False
    causal: bool = False
    rotary: bool = False
    dropout: bool = False
    flash: bool = False

    signature: ClassVar[str] = "B T d, B S d, B P h_kv d_k, B P h_kv d_v -> B T d"
    title: ClassVar[str] = "attention with separate query and key/value heads, widths and lengths"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_k: sizes.d / sizes.h, sizes.d_v: sizes.d / sizes.h,
        sizes.S: sizes.T,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "multi-head": assumptions,
        "grouped": {k: v for k, v in assumptions.items() if k != sizes.h_kv},
        "multi-query": {**assumptions, sizes.h_kv: 1},
        "cross-attention": {k: v for k, v in assumptions.items() if k != sizes.S},
        "decoding one token": {
            sizes.T: 1, sizes.h_kv: sizes.h, sizes.d_k: sizes.d / sizes.h,
            sizes.d_v: sizes.d / sizes.h,
        },
    }
    references: ClassVar[tuple[str, ...]] = (VASWANI + ".2", SHAZEER, AINSLIE)

    def forward(
        self, x: Tensor, memory: Tensor | None = None,
        past_k: Tensor | None = None, past_v: Tensor | None = None,
    ) -> Steps:  # fmt: skip
        if (past_k is None) != (past_v is None):
            raise DefinitionError("attention takes past keys and past values together, or neither.")
        source = x if memory is None else memory
        offset = past_k.shape[1] if past_k is not None else Integer(0)
        q = self.heads("Q", x, self.h, self.d_k, offset)
        k = self.heads("K", source, self.h_kv, self.d_k, offset)
        v = self.heads("V", source, self.h_kv, self.d_v)
        if past_k is not None and past_v is not None:
            k, v = join([past_k, k], axis=1), join([past_v, v], axis=1)
        if self.causal or memory is not None or past_k is not None:  # decoding meets them again
            k, v = state(k), state(v)
        z = self.core()(q, k, v, name="core")
        merged = view("B T h v -> B T (h v)", z)
        y = Linear(self.h * self.d_v, self.d, self.bias)(merged, name="O")
        return steps(q=q, k=k, v=v, z=z, y=y)

    def heads(
        self, name: str, x: Tensor, heads: Expr, width: Expr, offset: Expr | None = None
    ) -> Tensor:
        """Map x affinely and split the result into heads; turn queries and keys if rotary."""
        wide = Linear(self.d, heads * width, self.bias)(x, name=name)
        split = view("B T (h k) -> B T h k", wide, h=heads, k=width)
        if self.rotary and offset is not None:
            return RotaryPositions(width, offset)(split, name=f"rotary_{name}")
        return split

    def core(self) -> Component:
        """Return the attention of heads: fused (flash) or operation by operation.

        Raises:
            DefinitionError: dropout is asked for inside flash attention.
        """
        if self.flash and self.dropout:
            raise DefinitionError(
                "flash attention with dropout on its weights is not supported: "
                "choose flash = false or dropout = false."
            )
        widths = (self.h, self.h_kv, self.d_k, self.d_v, self.causal)
        return FlashAttention(*widths) if self.flash else ScaledDotProduct(*widths, self.dropout)
