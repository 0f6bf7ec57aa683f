"""Muse Glimmer and Muse Spark: norms without weights, gates behind attention, sandwich norms."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar, Literal

from sympy import Expr, Integer, Rational

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, SandwichBlock
from symledger.components.feed_forward.experts import Experts, Router
from symledger.components.feed_forward.nonlinearities import Gating
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, gather, indices, param, scatter, view

CAP, SCALE = Integer(20), Rational(1, 5)
"""What logits stay below, and what they are multiplied by first; others count the same."""
Heads = Literal["lm", "bare"]


@dataclass(frozen=True)
class MuseGlimmer(GatedDecoder, WindowedDecoder):
    """The decoder-only transformer of Muse Glimmer: layers with a window, others without positions.

    Embeddings, queries and keys are normalized without weights; norms stand on either side of each
    part, a gate of every element behind attention, and logits are capped. That queries are
    multiplied by a constant is left out.
    Source: transformers 5.23, ``MuseGlimmerTextModel``.
    """

    Y: Expr = ONE
    head: Heads = "lm"
    windows: Windows = "some"
    attention_bias: bool = False

    title: ClassVar[str] = "decoder-only transformer, gated attention, sandwich norms, windows"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, MuseGlimmerTextModel",)

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        return RMSNorm(self.d, affine=False)(super().embed(tokens, E), name="embedding_norm")

    def attention(self) -> Attention:
        return gated(super().attention(), self.attention_bias)

    def near(self, attention: Attention) -> Attention:
        return replace(attention, rotary=True)

    def block(self) -> Block:
        return SandwichBlock(self.d, norm="rms", attention=self.attention(), network=self.network())

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        return capped(super().score(x, E)) if self.head == "lm" else x


def gated(plain: Attention, bias: bool) -> Attention:
    """Return attention with norms of queries and keys, and a gate; it is told no positions."""
    return replace(
        plain, bias=bias, qk_norm="rms without weights", rotary=False, gate="elements",
        unbiased=("gate",),
    )  # fmt: skip


def capped(y: Tensor) -> Tensor:
    """Return logits that are scaled, and stay below a constant."""
    low: Tensor = apply("tanh", y * (SCALE / CAP)) * CAP
    return low


@dataclass(frozen=True)
class NormedHeadsAttention(Attention):
    """Attention whose heads are normalized, without weights, before they are gated.

    Source: transformers 5.23, ``MuseSparkTextAttention``.
    """

    title: ClassVar[str] = "attention with a norm of what each head gives"

    def leaving(self, x: Tensor, z: Tensor) -> Tensor:
        return super().leaving(x, RMSNorm(self.d_v, affine=False)(z, name="inner_norm"))


@dataclass(frozen=True)
class ScaledRMSNorm(Component):
    """Scale each channel, then divide the last axis by its root mean square.

    Source: transformers 5.23, ``MuseSparkTextInputScaledRMSNorm``.
    """

    d: Expr = sizes.d

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "channels scaled, then all of them to unit root mean square"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=RMSNorm(self.d, affine=False)(x * param("g", self.d), name="norm"))


@dataclass(frozen=True)
class ResidualGate(Component):
    """What is added counts β, and the path beside it √((1 − β)(1 + β)), each channel its own.

    β is a sigmoid of a parameter. That the root is taken of no less than a constant is left out.
    Source: transformers 5.23, ``MuseSparkResidualGate``.
    """

    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d, B T d -> B T d"
    title: ClassVar[str] = "sum of a residual path and what is added, each channel in a share"

    def forward(self, x: Tensor, y: Tensor) -> Steps:
        gate = param("gate", self.d) * Rational(10, 3)
        beta = apply("sigmoid", gate)
        alpha = apply("sqrt", apply("sigmoid", gate * -1) * (beta + 1))
        return steps(beta=beta, alpha=alpha, y=x * alpha + y * beta)


@dataclass(frozen=True)
class SparkBlock(Block):
    """A block with norms on either side of its parts, and gates where these are added.

    The norm behind attention has no weights, that behind the network scales first.
    Source: transformers 5.23, ``MuseSparkTextDecoderLayer``.
    """

    title: ClassVar[str] = "transformer block with norms around its parts, and gates of channels"

    def forward(self, x: Tensor) -> Steps:
        attended = self.attend(self.normalize(x, 1))
        attended = RMSNorm(self.d, affine=False)(attended, name="norm_2")
        middle = ResidualGate(self.d)(x, attended, name="residual_1")
        fed = ScaledRMSNorm(self.d)(self.feed(self.normalize(middle, 3)), name="norm_4")
        return steps(middle=middle, y=ResidualGate(self.d)(middle, fed, name="residual_2"))


@dataclass(frozen=True)
class NarrowMixture(Component):
    """Experts that read d_l numbers of a token, and whose results are normalized one by one.

    The router reads the token itself; all results share one norm, which scales first.
    Source: transformers 5.23, ``MuseSparkMoE``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_l: Expr = sizes.d_l
    d_exp: Expr = sizes.d_exp
    activation: Gating = "silu"

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixture of experts of another width, with a norm of what each gives"

    def forward(self, x: Tensor) -> Steps:
        B, T, _ = x.shape
        rows = view("B T d -> (B T) d", x)
        slots = indices("slots", B * T, self.E, self.k * B * T / self.E, average=True)
        weights = Router(self.E, self.d)(rows, slots, name="router")
        inner = Linear(self.d, self.d_l, bias=False)(rows, name="narrow")
        given = gather(RMSNorm(self.d_l)(inner, name="norm"), slots)
        experts = Experts(self.E, self.k, self.d_l, self.d_exp, self.activation)
        made = ScaledRMSNorm(self.d_l)(experts(given, name="experts"), name="routed_norm")
        weighted = made * weights
        together = scatter(weighted, slots, inner.shape)
        widened = Linear(self.d_l, self.d, bias=False)(together, name="widen")
        return steps(given=given, weights=weights, weighted=weighted,
                     y=view("(B T) d -> B T d", widened, B=B))  # fmt: skip


@dataclass(frozen=True)
class MuseSpark(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of Muse Spark: Muse Glimmer's attention, experts, gated sums.

    Experts read fewer numbers than a token has. Numbers that balance them are no parameters.
    Source: transformers 5.23, ``MuseSparkTextModel``.
    """

    Y: Expr = ONE
    d_l: Expr = sizes.d_l
    head: Heads = "lm"
    windows: Windows = "some"

    title: ClassVar[str] = "decoder-only transformer, gated attention, narrow experts, gated sums"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, MuseSparkTextModel",)

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        return RMSNorm(self.d, affine=False)(super().embed(tokens, E), name="embedding_norm")

    def attention(self) -> Attention:
        plain = gated(super().attention(), self.attention_bias)
        return NormedHeadsAttention(**{f.name: getattr(plain, f.name) for f in fields(plain)})

    def near(self, attention: Attention) -> Attention:
        return replace(attention, rotary=True)

    def network(self) -> Component:
        return NarrowMixture(self.E, self.k, self.d, self.d_l, self.d_exp, self.activation)

    def block(self) -> Block:
        return SparkBlock(self.d, norm="rms", attention=self.attention(), network=self.network())

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        return capped(super().score(x, E)) if self.head == "lm" else x
