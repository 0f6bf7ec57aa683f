"""Compressed keys: what attention sees of far positions, one key for many of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, floor, oo, sqrt

from symledger import sizes
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    join,
    narrow,
    param,
    reduce,
    remembered,
    state,
    table,
    view,
)
from symledger.sizes import Size

PAPER = "DeepSeek-AI, DeepSeek-V4 (2026), section 2.3"
V4 = "transformers 5.23, DeepseekV4CSACompressor"


def turned_end(name: str, x: Tensor, d_rot: Expr, rotary: RotaryPositions) -> Tensor:
    """Turn the last d_rot elements of each head by its position."""
    rest = x.shape[-1] - d_rot
    turned = rotary(narrow(x, -1, rest, d_rot), name=f"rotary_{name}")
    return turned if rest == 0 else join([narrow(x, -1, 0, rest), turned])


@dataclass(frozen=True)
class CompressedKeys(Component):
    """One key for r_c positions: a mean of what these are mapped to, weighted by a softmax.

    Each element has weights of its own: another map of x and a learned number for each place in
    the group. With ``overlapping`` a key is made of two groups, its own and the one before, for
    which there are maps of their own; the first one has none before it. Positions that fill no
    group are left over: they are remembered, with what is needed of the last group. In a step of
    decoding (``cached``) one position fills a group of which the others are remembered.
    Source: DeepSeek-AI, *DeepSeek-V4* (2026), sections 2.3.1 and 2.3.2; transformers 5.23,
    ``DeepseekV4CSACompressor`` and ``DeepseekV4HCACompressor``.
    """

    d: Expr = sizes.d
    d_k: Expr = sizes.d_k
    d_rot: Expr = sizes.d_rot
    r_c: Expr = sizes.r_c
    S_c: Expr = sizes.S_c
    overlapping: bool = False
    cached: Expr | None = None

    signature: ClassVar[str] = "B T d -> B S_c d_k"
    title: ClassVar[str] = "one key for many positions, pooled by softmax"
    definitions: ClassVar[dict[Size, Expr]] = {sizes.S_c: floor(sizes.T / sizes.r_c)}
    references: ClassVar[tuple[str, ...]] = (f"{PAPER}.1 and 2.3.2", V4)

    def forward(self, x: Tensor) -> Steps:
        wide = self.d_k * (2 if self.overlapping else 1)
        values, scores = (
            self.groups(name, Linear(self.d, wide, bias=False)(x, name=name))
            for name in ("KV", "gate")
        )
        scores = scores + param("b", self.r_c, wide)
        if self.overlapping:
            values = self.with_earlier("KV", values, 0)
            scores = self.with_earlier("gate", scores, -oo)
        moved = "B S r k -> B S k r"
        a = Softmax()(view(moved, scores), name="softmax")
        pooled = reduce(view(moved, values) * a, (-1,))
        normed = RMSNorm(self.d_k)(pooled, name="norm")
        before = Integer(0) if self.cached is None else self.S_c - 1
        rotary = RotaryPositions(self.d_rot, self.r_c * before, self.r_c)
        k = turned_end("K", view("B S k -> B S () k", normed), self.d_rot, rotary)
        keys = view("B S () k -> B S k", k)
        if self.cached is not None:
            past = remembered("past_keys", x.shape[0], before, self.d_k)
            keys = join([past, keys], axis=1)
        return steps(values=values, a=a, pooled=pooled, y=state(keys))

    def groups(self, name: str, x: Tensor) -> Tensor:
        """Cut a sequence into groups; what is left over is remembered."""
        whole = self.r_c * self.S_c
        if self.cached is not None:
            whole = self.r_c
            past = remembered(f"past_{name}", x.shape[0], self.r_c - 1, x.shape[2])
            x = join([past, x], axis=1)
        kept = state(x, x.shape[1] - whole)
        return view("B (S r) k -> B S r k", narrow(kept, 1, 0, whole), r=self.r_c)

    def with_earlier(self, name: str, x: Tensor, nothing: Expr | int) -> Tensor:
        """Put what a group before says to a key beside what its own does."""
        before, own = (narrow(x, -1, i * self.d_k, self.d_k) for i in (0, 1))
        before = state(before, ONE)
        B, number, r, k = own.shape
        if self.cached is not None:
            return join([remembered(f"past_group_{name}", B, ONE, r, k), own], axis=2)
        none = table("nothing", lambda *_: Integer(0) + nothing, B, ONE, r, k)
        return join([narrow(join([none, before], axis=1), 1, 0, number), own], axis=2)


@dataclass(frozen=True)
class CompressedIndexer(Component):
    """How much each compressed key counts for each query: small heads, keys of its own.

    Its keys are made like those of attention, of overlapping groups. The sum over heads is no
    product of matrices in the reference implementation, but products of elements.
    Source: DeepSeek-AI, *DeepSeek-V4* (2026), section 2.3.1; transformers 5.23,
    ``DeepseekV4Indexer``.
    """

    d: Expr = sizes.d
    d_q: Expr = sizes.d_q
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    d_rot: Expr = sizes.d_rot
    r_c: Expr = sizes.r_c
    S_c: Expr = sizes.S_c
    cached: Expr | None = None

    signature: ClassVar[str] = "B T d, B T d_q -> B T S_c"
    title: ClassVar[str] = "scores of compressed keys, by which attention chooses among them"

    def forward(self, x: Tensor, source: Tensor) -> Steps:
        groups = (self.d_rot, self.r_c, self.S_c)
        k = CompressedKeys(self.d, self.d_x, *groups, True, self.cached)(x, name="keys")
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        wide = Linear(self.d_q, self.n_i * self.d_x, bias=False)(source, name="Q")
        q = view("B T (h k) -> B T h k", wide, h=self.n_i, k=self.d_x)
        q = turned_end("Q", q, self.d_rot, RotaryPositions(self.d_rot, offset))
        scores = apply("relu", einsum("B T h k, B S k -> B T h S", q, k)) * (1 / sqrt(self.d_x))
        weights = Linear(self.d, self.n_i, bias=False)(x, name="weights") * (1 / sqrt(self.n_i))
        y = reduce(scores * view("B T h -> B T h ()", weights), (2,))
        return steps(q=q, k=k, scores=scores, weights=weights, y=y)
