"""Attention with one vector a position that is key and value of all heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.compressed import (
    PAPER,
    CompressedIndexer,
    CompressedKeys,
    turned_end,
)
from symledger.components.attention.dot_product import HeadAttention
from symledger.components.attention.masks import EVERYTHING, Masked, compressed_mask, recent_mask
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, join, param, remembered, state, view
from symledger.sizes import Size

V4 = "transformers 5.23, DeepseekV4Attention"
Far = Literal["none", "pooled", "chosen"]
"""What is seen beyond the window: nothing; a key for each group of positions; such keys of
overlapping groups, among which an indexer chooses."""


@dataclass(frozen=True)
class NearAndFar(HeadAttention):
    """Attention to the last w positions, and to the compressed keys that are complete.

    Keys are values. Each head has a sink: a learned score of no value.
    Source: transformers 5.23, ``DeepseekV4Attention``, ``eager_attention_forward``.
    """

    w: Expr = sizes.w
    r_c: Expr = sizes.r_c

    signature: ClassVar[str] = "B T h d_k, B S h_kv d_k -> B T h d_k"
    title: ClassVar[str] = "attention to a window and to compressed keys, which are values"

    def forward(self, q: Tensor, kv: Tensor) -> Steps:
        return self.mixed(q, kv, kv, self.masked(q.shape[1], kv.shape[1]), sinks=True)

    def masked(self, T: Expr, S: Expr) -> Masked:
        """Return which keys are seen: T single positions stand first, others behind them.

        A single query, that of a step of decoding, sees all that there are.
        """
        if T == ONE:
            return EVERYTHING
        if S == T:
            return recent_mask(T, S, self.w)
        return compressed_mask(T, self.w, self.r_c, S - T)


@dataclass(frozen=True)
class GroupedOutput(Component):
    """What heads give, mapped back in two steps: each of G groups by itself, then all together.

    Source: DeepSeek-AI, *DeepSeek-V4* (2026), section 2.3.1; transformers 5.23,
    ``DeepseekV4GroupedLinear``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_v: Expr = sizes.d_v
    G: Expr = sizes.G
    d_r: Expr = sizes.d_r

    signature: ClassVar[str] = "B T h d_v -> B T d"
    title: ClassVar[str] = "heads mapped back in groups, then together"

    def forward(self, z: Tensor) -> Steps:
        inner = self.h * self.d_v / self.G
        grouped = view("B T (g i) -> B T g i", view("B T h v -> B T (h v)", z), g=self.G, i=inner)
        down = einsum("B T g i, g i r -> B T g r", grouped, param("W", self.G, inner, self.d_r))
        merged = view("B T g r -> B T (g r)", down)
        return steps(down=down, y=Linear(self.G * self.d_r, self.d, bias=False)(merged, name="O"))


@dataclass(frozen=True)
class SharedKeyAttention(Component):
    """Attention of h heads to one vector a position, key and value of all; few of them are seen.

    Queries come from a latent vector of width d_q, and are normalized head by head. The last
    d_rot elements of queries and keys are turned by their position; what was mixed is turned back,
    because values were turned as well. A query sees the last w positions, and beyond them, by
    ``far``, nothing, a key for each r_c positions, or those of such keys that an indexer chose:
    operation by operation a choice is a mask, so that all pairs are computed, and no gradient
    comes back through it. Heads are mapped back in G groups first, to d_r numbers each. In a step
    of decoding (``cached``) one position comes after others, and fills a group.
    Source: DeepSeek-AI, *DeepSeek-V4* (2026), section 2.3; transformers 5.23,
    ``DeepseekV4Attention``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    d_q: Expr = sizes.d_q
    d_rot: Expr = sizes.d_rot
    G: Expr = sizes.G
    d_r: Expr = sizes.d_r
    w: Expr = sizes.w
    r_c: Expr = sizes.r_c
    S_c: Expr = sizes.S_c
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    far: Far = "pooled"
    cached: Expr | None = None

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "attention to one vector a position, key and value of all heads"
    definitions: ClassVar[dict[Size, Expr]] = CompressedKeys.definitions
    references: ClassVar[tuple[str, ...]] = (PAPER, V4)

    def forward(self, x: Tensor) -> Steps:
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        rotary = RotaryPositions(self.d_rot, offset)
        down = Linear(self.d, self.d_q, bias=False)(x, name="Q_down")
        source = RMSNorm(self.d_q)(down, name="norm_Q")
        wide = Linear(self.d_q, self.h * self.d_k, bias=False)(source, name="Q")
        heads = view("B T (h k) -> B T h k", wide, h=self.h, k=self.d_k)
        heads = RMSNorm(self.d_k, affine=False)(heads, name="norm_heads")
        q = turned_end("Q", heads, self.d_rot, rotary)
        mapped = RMSNorm(self.d_k)(Linear(self.d, self.d_k, bias=False)(x, name="KV"), name="norm")
        one = turned_end("KV", view("B T k -> B T () k", mapped), self.d_rot, rotary)
        if self.cached is not None:
            past = remembered("past", x.shape[0], self.w - x.shape[1], ONE, self.d_k)
            one = join([past, one], axis=1)
        kv = state(one, self.w)
        if self.far != "none":
            kv = join([kv, view("B S k -> B S () k", self.beyond(x, source))], axis=1)
        core = NearAndFar(self.h, ONE, self.d_k, self.d_k, self.w, self.r_c)
        z = core(q, kv, name="core")
        back = turned_end(
            "back", z, self.d_rot, RotaryPositions(self.d_rot, -offset, Integer(-1))
        )  # fmt: skip
        out = GroupedOutput(self.d, self.h, self.d_k, self.G, self.d_r)
        return steps(q=q, kv=kv, z=z, y=out(back, name="out"))

    def beyond(self, x: Tensor, source: Tensor) -> Tensor:
        """Return the keys beyond the window; an indexer scores them, if one chooses."""
        groups = (self.d_rot, self.r_c, self.S_c)
        chosen = self.far == "chosen"
        if chosen:
            indexer = CompressedIndexer(
                self.d, self.d_q, self.n_i, self.d_x, *groups, self.cached
            )
            leave_idle(indexer(x, source, name="indexer"))
        keys = CompressedKeys(self.d, self.d_k, *groups, chosen, self.cached)
        return keys(x, name="compressed")
