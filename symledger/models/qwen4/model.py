"""Qwen4-Exp: Qwen3.5's mixers and experts, an indexer of pooled keys, gated residual streams."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.minimax_m3.model import ChoosingAttention
from symledger.models.qwen_next.model import Qwen3Next
from symledger.models.shared.gated_streams import GatedReading, GatedStreamBlock
from symledger.models.shared.streams import as_streams
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    gather,
    indices,
    join,
    mean,
    narrow,
    remembered,
    state,
    total,
    view,
)
from symledger.sizes import Size

CLASS = "transformers 5.23, Qwen4ExpForCausalLM"


def met(keys: Expr, positions: Expr, rate: Expr) -> Expr:
    """Return how many pairs there are of so many positions and of keys made before them.

    Of n keys of r positions each, all that position t sees are made of what is not after it:
    ⌊(t + 1)/r⌋. Over all that leaves r·n(n−1)/2 + n(T − rn + 1).
    """
    return rate * keys * (keys - 1) / 2 + keys * (positions - rate * keys + 1)


@dataclass(frozen=True)
class PooledIndexer(Component):
    """Scores by which blocks of r_c keys are chosen: n_i small heads of queries, one key a block.

    A block's key is the mean of its positions' keys, normalized and turned by where it begins.
    A query is compared with blocks alone that end before it: which pairs these are comes as whole
    numbers. Decoding remembers the keys of all positions.
    Source: transformers 5.23, ``Qwen4ExpTextQSAIndexer``.
    """

    d: Expr = sizes.d
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    d_rot: Expr = sizes.d_rot
    r_c: Expr = sizes.r_c
    S_c: Expr = sizes.S_c
    S_p: Expr = sizes.S_p
    partly: bool = True
    cached: Expr | None = None

    signature: ClassVar[str] = "B T d -> B pairs"
    title: ClassVar[str] = "scores by which blocks of pooled keys are chosen"

    def forward(self, x: Tensor) -> Steps:
        B, T, _ = x.shape
        length = T if self.cached is None else self.cached
        wide = Linear(self.d, (self.n_i + 1) * self.d_x, bias=False)(x, name="QK")
        heads = view("B T (h k) -> B T h k", wide, h=self.n_i + 1, k=self.d_x)
        q = RMSNorm(self.d_x)(narrow(heads, 2, 0, self.n_i), name="norm_Q")
        q = self.turned("Q", q, length - T, ONE)
        k = view("B T one k -> B T (one k)", narrow(heads, 2, self.n_i, 1))
        if self.cached is not None:
            k = join([remembered("past_index", B, length - T, self.d_x), k], axis=1)
        k = narrow(state(k), 1, 0, self.r_c * self.S_c)
        blocks = view("B (s r) k -> B s k r", k, s=self.S_c, r=self.r_c)
        pooled = view("B s k one -> B s one k", mean(blocks))
        pooled = RMSNorm(self.d_x)(pooled, name="norm_K")
        keys = view("B s one k -> B s (one k)", self.turned("K", pooled, Integer(0), self.r_c))
        return steps(q=q, keys=keys, y=self.compared(q, keys))

    def compared(self, q: Tensor, keys: Tensor) -> Tensor:
        """Score the pairs of a query and of a block before it."""
        T, pairs = q.shape[1], self.pairs(q.shape[1])
        queries, seen = indices("queries", T, pairs), indices("blocks", self.S_c, pairs)
        q = gather(view("B T h k -> T B h k", q), queries)
        k = gather(view("B s k -> s B k", keys), seen)
        scores = apply("relu", einsum("p B h k, p B k -> p B h", q, k))
        return view("p B one -> B (p one)", total(scores))

    def pairs(self, T: Expr) -> Expr:
        """Return how many pairs there are of T queries and blocks before them."""
        if T == ONE:
            return self.S_c
        if self.cached is None:
            return met(self.S_c, T, self.r_c)
        before = met(self.S_p, self.cached - T, self.r_c)
        return met(self.S_c, self.cached, self.r_c) - before

    def turned(self, name: str, x: Tensor, offset: Expr, apart: Expr) -> Tensor:
        """Turn heads by their positions, or as much of them as d_rot."""
        width = self.d_rot if self.partly else self.d_x
        turned = RotaryPositions(width, offset, apart)(narrow(x, -1, 0, width),
                                                       name=f"rotary_{name}")  # fmt: skip
        if not self.partly:
            return turned
        return join([turned, narrow(x, -1, width, self.d_x - width)])


@dataclass(frozen=True)
class Qwen4(Qwen3Next):
    """The decoder of Qwen4-Exp: Qwen3.5's layers, all with experts, between n_s residual streams.

    Layers that attend do so to blocks of r_c keys, which an indexer chose; it gets no gradient.
    Streams are read by gates of d_r numbers in place of norms. Embeddings of n-grams, which some
    layers may have, are not derived.
    Source: transformers 5.23, ``Qwen4ExpForCausalLM``.
    """

    n_s: Expr = sizes.n_s
    d_r: Expr = sizes.d_r
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    r_c: Expr = sizes.r_c
    S_c: Expr = sizes.S_c
    S_p: Expr = sizes.S_p
    dense: Literal["none"] = "none"
    dense_attending: Literal["some"] = "some"
    sparse_attending: Literal["some"] = "some"

    title: ClassVar[str] = "hybrid decoder, gated delta rule, indexed attention, gated streams"
    references: ClassVar[tuple[str, ...]] = (CLASS,)

    def defined(self) -> dict[Size, Expr]:
        """Return how many compressed keys there are, and were before."""
        length = self.S if self.cached else sizes.T
        return {
            **super().defined(), sizes.S_c: floor(length / self.r_c),
            sizes.S_p: floor((self.S - sizes.T) / self.r_c),
        }  # fmt: skip

    def attention(self) -> Attention:
        plain = super().attention()
        indexer = PooledIndexer(
            self.d, self.n_i, self.d_x, self.d_rot, self.r_c, self.S_c, self.S_p, self.partly,
            self.seen,
        )  # fmt: skip
        kept = {f.name: getattr(plain, f.name) for f in fields(plain)}
        return ChoosingAttention(**kept, indexer=indexer)

    def arranged(self, mixer: Component | None, network: Component) -> Component:
        attention = None if mixer else self.attention()
        return GatedStreamBlock(
            self.d, norm="rms", attention=attention, network=network, mixer=mixer, n_s=self.n_s,
            d_r=self.d_r,
        )  # fmt: skip

    def place(self, x: Tensor) -> Tensor:
        return as_streams(super().place(x), self.n_s)

    def normalize(self, x: Tensor) -> Tensor:
        return GatedReading(self.n_s, self.d, self.d_r)(x, name="final_streams")
