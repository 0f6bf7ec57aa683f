"""Llama 4: chunks, layers without positions, and experts that weigh what they are given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr, Rational, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.chunks import META, ChunkAttention
from symledger.components.feed_forward.experts import Experts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.ir.tensor import Tensor
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    gather,
    indices,
    noise,
    param,
    scatter,
    total,
    view,
)
from symledger.sizes import Size

SOME = Rational(1, 2)
"""How many rows an expert is chosen for; where it runs on all of them, that changes no count."""


@dataclass(frozen=True)
class Scores(Component):
    """A score of each expert for each row: a sigmoid of a linear map."""

    E: Expr = sizes.E
    d: Expr = sizes.d

    signature: ClassVar[str] = "N d -> E N"
    title: ClassVar[str] = "scores of experts"

    def forward(self, x: Tensor) -> Steps:
        logits = einsum("N d, d E -> N E", x, param("W", self.d, self.E))
        return steps(logits=logits, scores=view("N E -> E N", apply("sigmoid", logits)))


@dataclass(frozen=True)
class WeighingMixture(Component):
    """A mixture of experts that are given rows times their scores, beside a shared one as wide.

    Where ``every`` expert runs on every row, as in the implementation, a row that it was not chosen
    for is given to it times zero; otherwise each is given the rows that it was chosen for.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Activation = "silu"
    every: bool = True

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixture of experts, scores multiplied with what they are given"

    def forward(self, x: Tensor) -> Steps:
        B = x.shape[0]
        rows = view("B T d -> (B T) d", x)
        N = rows.shape[0]
        experts = Experts(self.E, self.k, self.d, self.d_ff, self.activation)
        scores = Scores(self.E, self.d)(rows, name="router")
        if self.every:
            weights = scores * noise("chosen", SOME, self.E, N)
            given = view("N d -> () N d", rows) * view("E N -> E N ()", weights)
            made = total(view("E N d -> N d E", experts(given, name="experts")))
            routed = view("N d () -> N d", made)
        else:
            slots = indices("slots", N, self.E, self.k * N / self.E, average=True)
            weights = view("E T_e -> E T_e ()", gather(scores, slots, batch=1))
            made = experts(gather(rows, slots) * weights, name="experts")
            routed = scatter(made, slots, rows.shape)
        shared = GatedFeedForward(self.d, self.d_ff, self.activation)(x, name="shared_experts")
        return steps(rows=rows, routed=routed, y=view("(B T) d -> B T d", routed, B=B) + shared)


@dataclass(frozen=True)
class Llama4(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of Llama 4: most layers attend inside chunks of w_max.

    Those turn queries and keys by their position and, with ``qk_norm``, normalize them without
    weights; the others see everything and are told none. That their queries are scaled by a number
    of each position changes pointwise work alone, and is left out. Mixtures are every layer or
    some; ``every`` expert runs on every token, as in the implementation, or the k chosen ones.
    Source: Meta, *The Llama 4 herd* (2025); transformers, ``Llama4ForCausalLM``.
    """

    n_c: Expr = sizes.n_c
    windows: Windows = "some"
    qk_norm: bool = True
    every: bool = True

    title: ClassVar[str] = "decoder-only transformer, attention in chunks, NoPE, experts"
    references: ClassVar[tuple[str, ...]] = (META,)

    def defined(self) -> dict[Size, Expr]:
        return {**super().defined(), sizes.n_c: floor((sizes.T + self.w_max - 1) / self.w_max)}

    def attention(self) -> Attention:
        return replace(super().attention(), rotary=False)

    def near(self, attention: Attention) -> Attention:
        near = replace(attention, rotary=True)
        return replace(near, qk_norm="rms without weights") if self.qk_norm else near

    def mixing(self, attention: Attention) -> Component:
        heads = (attention.h, attention.h_kv, attention.d_k, attention.d_v)
        return ChunkAttention(*heads, self.w, self.n_c)

    def network(self) -> Component:
        return WeighingMixture(self.E, self.k, self.d, self.d_exp, self.activation, self.every)
