"""JetMoE: experts in attention as well, each with queries and a map back of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.blocks.blocks import Block, Norm, PreLNBlock
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.experts import MixtureOfExperts, Router
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Head, LanguageModel
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    einsum,
    gather,
    indices,
    join,
    narrow,
    param,
    remembered,
    scatter,
    state,
    view,
)
from symledger.sizes import Size

SHEN = "Shen et al., JetMoE: Reaching Llama2 Performance with 0.1M Dollars (2024)"
EXPERT = "E T_e i, E i o -> E T_e o"


@dataclass(frozen=True)
class MixtureOfAttention(Component):
    """Attention whose experts map queries and map back; all of them see the same keys and values.

    A token is sent to k of E experts, and has h_kv heads of queries from each. ``slots`` says
    which tokens an expert is given, ``places`` which of their k groups of heads those are. The
    router weighs what experts map back.
    Source: Shen et al., *JetMoE* (2024); transformers 5.23, ``JetMoeAttention``.
    """

    d: Expr = sizes.d
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    E: Expr = sizes.E
    k: Expr = sizes.k
    cached: Expr | None = None

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "attention whose queries and maps back are those of experts"

    @property
    def inner(self) -> Expr:
        """How wide the heads of one expert are together."""
        return self.h_kv * self.d_h

    def forward(self, x: Tensor) -> Steps:
        B, T, _ = x.shape
        rows, each = view("B T d -> (B T) d", x), self.k * B * T / self.E
        slots = indices("slots", B * T, self.E, each, average=True)
        places = indices("places", B * T * self.k, self.E, each, average=True)
        weights = Router(self.E, self.d)(rows, slots, name="router")
        asked = self.mapped("W_Q", gather(rows, slots), self.d, self.inner)
        q = scatter(asked, places, (B * T * self.k, self.inner))
        z = self.attend(x, view("(B T k) (g e) -> B T (g k) e", q, B=B, k=self.k, g=self.h_kv))
        mixed = view("B T (g k) e -> (B T k) (g e)", z, k=self.k)
        made = self.mapped("W_O", gather(mixed, places), self.inner, self.d) * weights
        together = view("(B T) d -> B T d", scatter(made, slots, rows.shape), B=B)
        return steps(weights=weights, q=q, z=z, made=made, y=together + param("b", self.d))

    def mapped(self, name: str, x: Tensor, wide: Expr, narrow_: Expr) -> Tensor:
        """Map what each expert is given by its own matrix."""
        return einsum(EXPERT, x, param(name, self.E, wide, narrow_, used=(self.k, self.E)))

    def attend(self, x: Tensor, q: Tensor) -> Tensor:
        """Mix the values that all experts share, for each of their heads."""
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        both = Linear(self.d, 2 * self.inner, bias=False)(x, name="KV")
        k, v = (view("B T (g e) -> B T g e", narrow(both, -1, start, self.inner), g=self.h_kv)
                for start in (Integer(0), self.inner))  # fmt: skip
        q, k = (RotaryPositions(self.d_h, offset)(one, name=f"rotary_{name}")
                for name, one in (("Q", q), ("K", k)))  # fmt: skip
        if self.cached is not None:
            shape = (x.shape[0], offset, self.h_kv, self.d_h)
            k = join([remembered("past_k", *shape), k], axis=1)
            v = join([remembered("past_v", *shape), v], axis=1)
        core = ScaledDotProduct(self.k * self.h_kv, self.h_kv, self.d_h, self.d_h, causal=True)
        return core(q, state(k), state(v), name="core")


@dataclass(frozen=True)
class ShiftedMixture(Component):
    """A mixture of experts, and one bias for all that they give together.

    Source: transformers 5.23, ``JetMoeMoE``.
    """

    mixture: MixtureOfExperts
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixture of experts with one bias for all"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=self.mixture(x, name="mixture") + param("b", self.d))


@dataclass(frozen=True)
class RoutedBlock(PreLNBlock):
    """A block both parts of which are mixtures of experts."""

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        assert self.attention is not None
        return self.attention(x, name="attention")


@dataclass(frozen=True)
class JetMoe(LanguageModel):
    """The decoder-only transformer of JetMoE: both parts of a block are mixtures of E experts.

    Of each mixture a token uses k. Those of attention make queries for h_kv heads each and map
    their results back, so that a token has k·h_kv heads; keys and values are made once.
    Source: Shen et al., *JetMoE* (2024).
    """

    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    E: Expr = sizes.E
    k: Expr = sizes.k
    head: Head = "lm"
    activation: Activation = "silu"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "decoder-only transformer, experts in attention and in networks"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_h: sizes.d / sizes.h_kv}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "one expert a token": {**assumptions, sizes.k: 1},
        "dense": {**assumptions, sizes.E: 1, sizes.k: 1},
    }
    references: ClassVar[tuple[str, ...]] = (SHEN,)

    def block(self) -> Block:
        attention = MixtureOfAttention(self.d, self.h_kv, self.d_h, self.E, self.k, self.seen)
        experts = MixtureOfExperts(self.E, self.k, self.d, self.d_ff, activation=self.activation)
        network = ShiftedMixture(experts, self.d)
        return RoutedBlock(self.d, norm="rms", attention=attention, network=network)
