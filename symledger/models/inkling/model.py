"""Inkling: distances counting as tokens say, short convolutions in every layer, weighed experts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.content_relative import (
    ContentRelativeAttention,
    ContentRelativeWindowAttention,
)
from symledger.components.blocks.blocks import Block, PreLNBlock
from symledger.components.feed_forward.experts import Experts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, gated
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.components.state_spaces.selective import CausalConvolution
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    einsum,
    gather,
    indices,
    narrow,
    param,
    reduce,
    scatter,
    view,
)
from symledger.sizes import Size

CLASS = "transformers 5.23, InklingForCausalLM"


@dataclass(frozen=True)
class AddedConvolution(Component):
    """What channels were, and a short convolution of each by itself added.

    Source: transformers 5.23, ``InklingShortConvolution``.
    """

    C: Expr = sizes.C
    K: Expr = sizes.K
    cached: bool = False

    signature: ClassVar[str] = "B T C -> B T C"
    title: ClassVar[str] = "short convolution of channels by themselves, beside a residual path"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, InklingShortConvolution",)

    def forward(self, x: Tensor) -> Steps:
        seen = CausalConvolution(self.C, self.K, bias=False, cached=self.cached)
        return steps(y=seen(x, name="convolution") + x)


@dataclass(frozen=True)
class ContentPlacedAttention(Attention):
    """Attention whose keys and values are convolved, and whose tokens say how distances count.

    Source: transformers 5.23, ``InklingAttention``.
    """

    K: Expr = sizes.K
    d_rel: Expr = sizes.d_rel

    title: ClassVar[str] = "attention with convolved keys and values, distances told by tokens"

    def mapped(self, name: str, x: Tensor, width: Expr) -> Tensor:
        wide = super().mapped(name, x, width)
        if name == "Q":
            return wide
        added = AddedConvolution(width, self.K, self.cached is not None)
        return added(wide, name=f"convolution_{name}")

    def beside(self, x: Tensor, bias: Tensor | None) -> tuple[Tensor, ...]:
        told = Linear(self.d, self.h * self.d_rel, bias=False)(x, name="R")
        return (view("B T (h e) -> B T h e", told, h=self.h), *super().beside(x, bias))


@dataclass(frozen=True)
class ConvolvedBlock(PreLNBlock):
    """A block in which what both parts give is convolved before it is added.

    Source: transformers 5.23, ``InklingDecoderLayer``.
    """

    K: Expr = sizes.K
    cached: bool = False

    title: ClassVar[str] = "transformer block with short convolutions behind its parts"

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        return self.convolved(super().attend(x, memory), 1)

    def feed(self, x: Tensor) -> Tensor:
        return self.convolved(super().feed(x), 2)

    def convolved(self, x: Tensor, number: int) -> Tensor:
        """Convolve what a part gave."""
        return AddedConvolution(self.d, self.K, self.cached)(x, name=f"convolution_{number}")


@dataclass(frozen=True)
class ScaledNetwork(GatedFeedForward):
    """A gated network whose result is multiplied by one learned number.

    Source: transformers 5.23, ``InklingMLP``.
    """

    title: ClassVar[str] = "a gated network, multiplied by one learned number"

    def forward(self, x: Tensor) -> Steps:
        made = super().forward(x).named
        return steps(**{**made, "y": made["y"] * param("scale", ONE)})


@dataclass(frozen=True)
class WeighingRouter(Component):
    """How much each expert counts, those among them that every token is sent to.

    All of them are scored together, and shares multiplied by one learned number. That scores go
    through a sigmoid, and shares are of those alone that a token is sent to, changes neither
    parameters nor contractions; here softmax is over all.
    Source: transformers 5.23, ``InklingTopkRouter``.
    """

    E: Expr = sizes.E
    E_s: Expr = sizes.E_s
    d: Expr = sizes.d

    signature: ClassVar[str] = "N d, E T_e in N -> E T_e one, N E_s"
    title: ClassVar[str] = "weights of chosen experts, and of those that all tokens are sent to"

    def forward(self, x: Tensor, slots: Tensor) -> Steps:
        W = param("W", self.d, self.E + self.E_s)
        p = Softmax()(einsum("N d, d E -> N E", x, W), name="softmax") * param("scale", ONE)
        routed = view("N E -> E N", narrow(p, -1, 0, self.E))
        weights = view("E T_e -> E T_e ()", gather(routed, slots, batch=1))
        return steps(weights=weights, shared=narrow(p, -1, self.E, self.E_s))


@dataclass(frozen=True)
class WeighedNetworks(Component):
    """E_s gated networks that every token is sent to, hidden values of each times its weight.

    Source: transformers 5.23, ``InklingSharedExperts``.
    """

    E_s: Expr = sizes.E_s
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Gating = "silu"

    signature: ClassVar[str] = "N d, N E_s -> N d"
    title: ClassVar[str] = "gated networks side by side, weighed and added up"

    def forward(self, x: Tensor, weights: Tensor) -> Steps:
        _, _, z = gated(self.activation, lambda: self.hidden("gate", x),
                        lambda: self.hidden("up", x))  # fmt: skip
        weighed = z * view("N e -> e N ()", weights)
        down = param("W_down", self.E_s, self.d_ff, self.d)
        made = einsum("e N f, e f d -> e N d", weighed, down)
        return steps(z=z, weighed=weighed, y=reduce(made, (0,)))

    def hidden(self, name: str, x: Tensor) -> Tensor:
        """Map to the hidden width of each network."""
        return einsum("N d, e d f -> e N f", x, param(f"W_{name}", self.E_s, self.d, self.d_ff))


@dataclass(frozen=True)
class WeighedMixture(Component):
    """A router sends each token to k of E experts, and says how much E_s more count for it.

    Source: transformers 5.23, ``InklingMoE``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_exp: Expr = sizes.d_exp
    E_s: Expr = sizes.E_s
    activation: Gating = "silu"

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixture of experts whose router weighs shared ones as well"

    def forward(self, x: Tensor) -> Steps:
        B, T, _ = x.shape
        rows = view("B T d -> (B T) d", x)
        slots = indices("slots", B * T, self.E, self.k * B * T / self.E, average=True)
        given = gather(rows, slots)
        router = WeighingRouter(self.E, self.E_s, self.d)
        weights, shared = router.apply(rows, slots, name="router")
        experts = Experts(self.E, self.k, self.d, self.d_exp, self.activation)
        made = experts(given, name="experts") * weights
        networks = WeighedNetworks(self.E_s, self.d, self.d_exp, self.activation)
        together = scatter(made, slots, rows.shape) + networks(rows, shared, name="shared_experts")
        return steps(given=given, weights=weights, weighted=made,
                     y=view("(B T) d -> B T d", together, B=B))  # fmt: skip


@dataclass(frozen=True)
class Inkling(GatedDecoder, WindowedSparseDecoder):
    """The decoder-only transformer of Inkling: no positions but distances that tokens speak of.

    Keys, values, and what each part of a layer gives go through convolutions of K tokens, beside
    residual paths. Layers with a window have heads of their own, h_w and h_kw of width d_hw, and
    learn of as many distances as it is long; the others of n_r. The router weighs shared experts,
    too. That logits are divided by a constant and those of padding left out, queries of late
    positions made longer, and some parts computed in fp32 is left out; numbers that balance experts
    are no parameters.
    Source: transformers 5.23, ``InklingForCausalLM``.
    """

    Y: Expr = ONE
    K: Expr = sizes.K
    E_s: Expr = sizes.E_s
    d_rel: Expr = sizes.d_rel
    n_r: Expr = sizes.n_r
    h_w: Expr = sizes.h_w
    h_kw: Expr = sizes.h_kw
    d_hw: Expr = sizes.d_hw
    head: Literal["lm", "bare"] = "lm"
    windows: Windows = "some"
    activation: Gating = "silu"

    title: ClassVar[str] = "decoder, distances told by tokens, short convolutions, experts"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **GatedDecoder.assumptions, sizes.h_w: sizes.h, sizes.h_kw: sizes.h_kv,
        sizes.d_hw: sizes.d_h,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = SparseLlama.corollaries
    references: ClassVar[tuple[str, ...]] = (CLASS,)

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        return RMSNorm(self.d)(super().embed(tokens, E), name="embedding_norm")

    def attention(self) -> Attention:
        heads = (self.h, self.h_kv, self.d_h, self.d_h)
        return ContentPlacedAttention(
            self.d, *heads, causal=True, qk_norm="rms", cached=self.seen,
            mixing=ContentRelativeAttention(*heads, self.d_rel, self.n_r),
            K=self.K, d_rel=self.d_rel,
        )  # fmt: skip

    def near(self, attention: Attention) -> Attention:
        return replace(attention, h=self.h_w, h_kv=self.h_kw, d_k=self.d_hw, d_v=self.d_hw)

    def mixing(self, attention: Attention) -> Component:
        heads = (attention.h, attention.h_kv, attention.d_k, attention.d_v)
        return ContentRelativeWindowAttention(*heads, self.d_rel, self.w_max, self.w)

    def network(self) -> Component:
        return WeighedMixture(self.E, self.k, self.d, self.d_exp, self.E_s, self.activation)

    def block(self) -> Block:
        return ConvolvedBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network(),
            K=self.K, cached=self.cached,
        )  # fmt: skip

    def dense_block(self) -> Component:
        network = ScaledNetwork(self.d, self.d_ff, self.activation)
        return replace(self.block(), network=network)
