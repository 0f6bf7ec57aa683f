"""Latent attention without positions, to what an indexer of pooled keys chose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, sqrt

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    join,
    narrow,
    param,
    remembered,
    state,
    total,
    view,
)

INDEXER = "transformers 5.23, Glm5NextTextIndexer"


@dataclass(frozen=True)
class WeighingIndexer(Component):
    """How much each block of r_c keys counts for each query: n_i small heads, one key a block.

    A block's key is a sum of its positions' keys: each element by weights of its own, a softmax
    over the block of a map of x and of a table of places in a block. Positions behind the last
    whole block are no candidates. Decoding remembers keys, and what weights are made of.
    Source: transformers 5.23, ``Glm5NextTextIndexer``.
    """

    d: Expr = sizes.d
    d_q: Expr = sizes.d_q
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    r_c: Expr = sizes.r_c
    S_c: Expr = sizes.S_c
    cached: Expr | None = None

    signature: ClassVar[str] = "B T d, B T d_q -> B T S_c"
    title: ClassVar[str] = "scores of blocks, by which attention chooses among them"
    references: ClassVar[tuple[str, ...]] = (INDEXER,)

    def forward(self, x: Tensor, source: Tensor) -> Steps:
        wide = Linear(self.d_q, self.n_i * self.d_x, bias=False)(source, name="Q")
        q = view("B T (h k) -> B T h k", wide, h=self.n_i, k=self.d_x)
        mapped = Linear(self.d, self.d_x, bias=False)(x, name="K")
        k = LayerNorm(self.d_x)(mapped, name="norm")
        gate = Linear(self.d, self.d_x, bias=False)(x, name="gate")
        keys = self.pooled(self.kept(join([k, gate])))
        scores = einsum("B T h k, B s k -> B T h s", q, keys) * (1 / sqrt(self.d_x))
        weights = Linear(self.d, self.n_i, bias=False)(x, name="weights") * (1 / sqrt(self.n_i))
        y = einsum("B T h, B T h s -> B T s", weights, apply("relu", scores))
        return steps(q=q, keys=keys, scores=scores, weights=weights, y=y)

    def kept(self, both: Tensor) -> Tensor:
        """Return keys and what weights are made of, of all positions."""
        if self.cached is not None:
            B, T, width = both.shape
            past = remembered("past_index", B, self.cached - T, width)
            both = join([past, both], axis=1)
        return state(both)

    def pooled(self, both: Tensor) -> Tensor:
        """Return the keys of whole blocks."""
        whole = narrow(both, 1, 0, self.r_c * self.S_c)
        blocks = view("B (s r) k -> B s k r", whole, s=self.S_c, r=self.r_c)
        k, gate = (narrow(blocks, 2, start, self.d_x) for start in (Integer(0), self.d_x))
        places = view("r k -> k r", param("places", self.r_c, self.d_x))
        p = Softmax()(gate + places, name="softmax")
        return view("B s k one -> B s (k one)", total(p * k))


@dataclass(frozen=True)
class NowhereAttention(Component):
    """Latent attention whose keys carry no position, to blocks that an indexer chose.

    Queries come from a latent vector of width d_q, keys and values from one of width d_c, which is
    what decoding keeps. Operation by operation, a choice is a mask on all pairs; no gradient comes
    back through it.
    Source: transformers 5.23, ``Glm5NextTextAttention``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_v: Expr = sizes.d_v
    d_c: Expr = sizes.d_c
    d_q: Expr = sizes.d_q
    bias: bool = False
    cached: Expr | None = None
    indexer: Component | None = None

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "latent attention without positions, chosen by an indexer"

    def forward(self, x: Tensor) -> Steps:
        down = Linear(self.d, self.d_q, self.bias)(x, name="Q_down")
        source = RMSNorm(self.d_q)(down, name="norm_Q")
        if self.indexer is not None:
            leave_idle(self.indexer(x, source, name="indexer"))
        wide = Linear(self.d_q, self.h * self.d_h, bias=False)(source, name="Q")
        q = view("B T (h k) -> B T h k", wide, h=self.h, k=self.d_h)
        latent = Linear(self.d, self.d_c, self.bias)(x, name="KV_down")
        c = RMSNorm(self.d_c)(latent, name="norm_KV")
        if self.cached is not None:
            c = join([remembered("past_c", x.shape[0], self.cached - x.shape[1], self.d_c), c],
                     axis=1)  # fmt: skip
        c = state(c)
        k = einsum("B S c, c h k -> B S h k", c, param("W_K", self.d_c, self.h, self.d_h))
        v = einsum("B S c, c h v -> B S h v", c, param("W_V", self.d_c, self.h, self.d_v))
        core = ScaledDotProduct(self.h, self.h, self.d_h, self.d_v, causal=True)
        z = view("B T h v -> B T (h v)", core(q, k, v, name="core"))
        y = Linear(self.h * self.d_v, self.d, self.bias)(z, name="O")
        return steps(q=q, c=c, z=z, y=y)
