"""Doge: each head's scores are shifted by what values say, residual paths have gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import HeadAttention
from symledger.components.attention.masks import causal_mask
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Plain, Seldom, act
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.shared.gated import GatedDecoder
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    gather,
    indices,
    join,
    narrow,
    param,
    state,
    view,
)
from symledger.sizes import Size

SHI = "Shi, Wu, Wonderful Matrices (2024)"
CLASS = "transformers 5.23, DogeForCausalLM"


@dataclass(frozen=True)
class ShiftedDotProduct(HeadAttention):
    """Scaled dot products, to which a number of each key is added, one for each head of keys.

    Source: transformers 5.23, ``DogeAttention``.
    """

    signature: ClassVar[str] = "B T h d_k, B S h_kv d_k, B S h_kv d_v, B S h_kv -> B T h d_v"
    title: ClassVar[str] = "causal attention with a number added to all scores of a key"

    def forward(self, q: Tensor, k: Tensor, v: Tensor, shift: Tensor) -> Steps:
        masked = causal_mask(q.shape[1], k.shape[1])
        return self.mixed(q, k, v, masked, view("B S g -> B g () () S", shift))


@dataclass(frozen=True)
class DynamicMaskAttention(Attention):
    """Attention whose heads see more or less of a token, as its values say.

    From all values of a token one number for each head of keys is made, exp(A·softplus(…)), and
    added to its scores. That only so many of the largest are seen, where a sequence is longer,
    changes no contraction: all pairs are computed.
    Source: Shi, Wu, *Wonderful Matrices* (2024); transformers 5.23, ``DogeAttention``.
    """

    title: ClassVar[str] = "attention whose scores are shifted by what values say"

    def forward(  # type: ignore[override]  # there is no memory, and what came before is its own
        self, x: Tensor, memory: None = None
    ) -> Steps:
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        q = self.heads("Q", x, self.h, self.d_k, offset)
        k = self.heads("K", x, self.h_kv, self.d_k, offset)
        v = self.heads("V", x, self.h_kv, self.d_v)
        if self.cached is not None:
            past_k, past_v = self.past(x, self.cached)
            k, v = join([past_k, k], axis=1), join([past_v, v], axis=1)
        k, v = state(k), state(v)
        merged = view("B S g e -> B S (g e)", v)
        rate = Linear(self.h_kv * self.d_v, self.h_kv, self.bias)(merged, name="step")
        shift = apply("exp", apply("softplus", rate) * param("A", self.h_kv))
        core = ShiftedDotProduct(self.h, self.h_kv, self.d_k, self.d_v)
        z = core(q, k, v, shift, name="core")
        y = Linear(self.h * self.d_v, self.d, self.bias)(self.leaving(x, z), name="O")
        return steps(q=q, k=k, v=v, shift=shift, z=z, y=y)


@dataclass(frozen=True)
class RetrievedExperts(Component):
    """A network beside E experts of one hidden unit each, k of which are looked up by a token.

    An expert has a row of two tables, and a key that is a pair of halves: of n_key first and
    n_key second ones, E = n_key² pairs. Halves are scored, and sums of two scores weigh experts.
    Which are chosen is an input of whole numbers. That the class cuts scores as if first halves of
    all tokens came first changes no count.
    Source: Shi, Wu, *Wonderful Matrices* (2024); transformers 5.23, ``DogeCDMoE``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    n_key: Expr = sizes.n_key
    activation: Plain = "silu"
    bias: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "a network beside experts of one unit that are looked up"

    def forward(self, x: Tensor) -> Steps:
        B, T, _ = x.shape
        rows = view("B T d -> (B T) d", x)
        scores = Linear(self.d, 2 * self.n_key, bias=False)(rows, name="router")
        halves = view("N (two n) -> two N n", scores, n=self.n_key)
        picked = gather(halves, indices("halves", self.n_key, Integer(2), B * T, self.k), batch=2)
        first, second = (view("one N k -> (one N) k", narrow(picked, 0, i, 1)) for i in (0, 1))
        weights = Softmax()(first + second, name="softmax")
        chosen = indices("chosen", self.E, B * T, self.k)
        used = (self.k, self.E)
        down, up = (gather(param(name, self.E, self.d, used=used), chosen)
                    for name in ("E_down", "E_up"))  # fmt: skip
        units = act(self.activation, einsum("N k d, N d -> N k", down, rows)) * weights
        found = view("(B T) d -> B T d", einsum("N k, N k d -> N d", units, up), B=B)
        network = GatedFeedForward(self.d, self.d_ff, self.activation, self.bias)
        return steps(weights=weights, units=units, y=network(x, name="network") + found)


@dataclass(frozen=True)
class GainedBlock(PreLNBlock):
    """A block whose residual paths are multiplied by gains, one of each channel.

    Source: transformers 5.23, ``DogeDecoderLayer``.
    """

    title: ClassVar[str] = "transformer block, gains in residual paths"

    def forward(self, x: Tensor) -> Steps:
        middle = x * param("r_1", self.d) + self.attend(self.normalize(x, 1))
        fed = self.feed(self.normalize(middle, 2))
        return steps(middle=middle, y=middle * param("r_2", self.d) + fed)


@dataclass(frozen=True)
class Doge(GatedDecoder):
    """The decoder-only transformer of Doge: values shift scores, residual paths have gains.

    Queries and keys are normalized. With ``experts``, E rows of two tables stand beside each
    network, k of which a token looks up by product keys.
    Source: Shi, Wu, *Wonderful Matrices* (2024); transformers 5.23, ``DogeForCausalLM``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    n_key: Expr = sizes.n_key
    head: Literal["lm", "bare", "sequences"] = "lm"
    activation: Plain = "silu"
    attention_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False
    experts: bool = False

    title: ClassVar[str] = "decoder-only transformer, scores shifted by values"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **GatedDecoder.assumptions, sizes.E: sizes.n_key**2,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        name: {**equations, sizes.E: sizes.n_key**2}
        for name, equations in GatedDecoder.corollaries.items()
    }
    references: ClassVar[tuple[str, ...]] = (SHI, CLASS)

    def attention(self) -> Attention:
        return DynamicMaskAttention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.attention_bias, causal=True,
            rotary=True, qk_norm="rms", cached=self.seen,
        )  # fmt: skip

    def network(self) -> Component:
        if not self.experts:
            return GatedFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias)
        return RetrievedExperts(
            self.E, self.k, self.d, self.d_ff, self.n_key, self.activation, self.mlp_bias
        )

    def block(self) -> GainedBlock:
        return GainedBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )
