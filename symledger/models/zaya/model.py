"""ZAYA: queries and keys convolved, half of the values late, routers that hand on what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, Rational

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block
from symledger.components.feed_forward.experts import Experts
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Layers
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    gather,
    indices,
    join,
    narrow,
    pad,
    param,
    reduce,
    remembered,
    scan,
    scatter,
    state,
    table,
    view,
)
from symledger.notation.windows import windows

CLASS = "transformers 5.23, ZayaForCausalLM"
FIGLIOLIA = "Figliolia et al., Compressed Convolutional Attention (2025)"


@dataclass(frozen=True)
class ConvolvedAttention(Attention):
    """Attention whose queries and keys are convolved, and half of whose values are a token late.

    Of queries and keys, written side by side, every channel is convolved by itself over K tokens,
    then those of each head together over K_g. What a query and the key of its group were before is
    added to it, halved; to a key the mean of that over its group. Both are normalized, keys times a
    learned number of each head. The late half of values begins with that of a token of zeros.
    Source: Figliolia et al., *Compressed Convolutional Attention* (2025); transformers 5.23,
    ``ZayaCCAProjection``.
    """

    K: Expr = sizes.K
    K_g: Expr = sizes.K_g

    title: ClassVar[str] = "attention with convolved queries and keys, and values half a token late"
    references: ClassVar[tuple[str, ...]] = (FIGLIOLIA, "transformers 5.23, ZayaCCAProjection")

    def projected(
        self, x: Tensor, source: Tensor, offset: Expr
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        q, k = self.mapped("Q", x, self.h * self.d_k), self.mapped("K", x, self.h_kv * self.d_k)
        seen = self.convolved(join([q, k]))
        group = self.h / self.h_kv
        queries = view("B T (g r k) -> B T g r k", q, g=self.h_kv, r=group)
        keys = view("B T (g k) -> B T g () k", k, g=self.h_kv)
        both = (queries + keys) * Rational(1, 2)
        of_group = reduce(both, (3,)) * (1 / group)
        q = narrow(seen, -1, 0, self.h * self.d_k)
        q = view("B T (h k) -> B T h k", q, h=self.h) + view("B T g r k -> B T (g r) k", both)
        k = narrow(seen, -1, self.h * self.d_k, self.h_kv * self.d_k)
        k = view("B T (g k) -> B T g k", k, g=self.h_kv) + of_group
        temperature = view("g -> g ()", param("temperature", self.h_kv))
        q = RMSNorm(self.d_k, affine=False)(q, name="norm_Q")
        k = RMSNorm(self.d_k, affine=False)(k, name="norm_K") * temperature
        turned = (self.turned(name, y, self.d_k, offset) for name, y in (("Q", q), ("K", k)))
        q, k = turned
        return q, k, self.values(x)

    def convolved(self, x: Tensor) -> Tensor:
        """Convolve channels by themselves, then those of a head together; zeros stand before."""
        B, T, _ = x.shape
        heads = self.h + self.h_kv
        C, before = self.d_k * self.h + self.d_k * self.h_kv, self.K + self.K_g - 2
        if self.cached is None:
            known = pad(x, 1, before, T + before)
        else:
            known = join([remembered("past_QK", B, before, C), x], axis=1)
        seen = windows(state(known, before), 1, T + self.K_g - 1, self.K)
        y = einsum("B T K C, C K -> B T C", seen, param("F_1", C, self.K)) + param("b_1", C)
        split = windows(view("B T (g e) -> B T g e", y, g=heads), 1, T, self.K_g)
        F = view("(g o) e K -> g o e K", param("F_2", C, self.d_k, self.K_g), g=heads)
        y = einsum("B T K g e, g o e K -> B T g o", split, F)
        return view("B T g e -> B T (g e)", y) + param("b_2", C)

    def values(self, x: Tensor) -> Tensor:
        """Map a token to one half of its values, and the token before it to the other."""
        B, T, _ = x.shape
        half = self.h_kv * self.d_v / 2
        now = Linear(self.d, half, self.bias)(x, name="V")
        W = param("W_late", self.d, half)
        b = param("b_late", half) if self.bias else None

        def late(x: Tensor) -> Tensor:
            y = einsum("B T d, d v -> B T v", x, W)
            return y if b is None else y + b

        if self.cached is None:
            before = late(table("zeros", lambda b, t, i: Integer(0), B, ONE, self.d))
        else:
            before = remembered("past_late", B, ONE, half)
        known = state(join([before, late(x)], axis=1), ONE)
        both = join([now, narrow(known, 1, 0, T)])
        return view("B T (g v) -> B T g v", both, g=self.h_kv)


@dataclass(frozen=True)
class ScaledSum(Component):
    """A residual path and what is added to it, each channel of both moved and scaled.

    Source: transformers 5.23, ``ZayaResidualScaling``.
    """

    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d, B T d -> B T d"
    title: ClassVar[str] = "sum of two vectors whose channels are moved and scaled"

    def forward(self, x: Tensor, y: Tensor) -> Steps:
        return steps(y=moved(y, "added") + moved(x, "kept"))


def moved(x: Tensor, name: str) -> Tensor:
    """Add a learned number to each channel, and multiply it with another."""
    d = x.shape[-1]
    shifted: Tensor = (x + param(f"b_{name}", d)) * param(f"g_{name}", d)
    return shifted


@dataclass(frozen=True)
class HandingRouter(Component):
    """How much each expert counts, by a network of what is said of a token, which is handed on.

    A token is mapped to d_rt numbers, to which those of the layer before are added, scaled; they
    go through two layers of a network to a score for each expert, and one for none.
    Source: transformers 5.23, ``ZayaRouter``.
    """

    E: Expr = sizes.E
    d: Expr = sizes.d
    d_rt: Expr = sizes.d_rt

    signature: ClassVar[str] = "N d, E T_e in N, N d_rt -> E T_e one, N d_rt"
    title: ClassVar[str] = "weights of experts by a network that hears of the layer before"

    def forward(self, x: Tensor, slots: Tensor, before: Tensor | None = None) -> Steps:
        said = Linear(self.d, self.d_rt)(x, name="down")
        if before is not None:
            said = said + before * param("passed", self.d_rt)
        u = RMSNorm(self.d_rt)(said, name="norm")
        for i in (1, 2):
            u = apply("gelu", Linear(self.d_rt, self.d_rt)(u, name=f"inner_{i}"))
        p = Softmax()(Linear(self.d_rt, self.E + 1, bias=False)(u, name="out"), name="softmax")
        routed = view("N E -> E N", narrow(p, -1, 0, self.E))
        weights = view("E T_e -> E T_e ()", gather(routed, slots, batch=1))
        return steps(weights=weights, said=said)


@dataclass(frozen=True)
class HandingMixture(Component):
    """A router sends each token to one of E experts, and hands on what it says of the token.

    A token that it sends to none is computed by the first one, and weighed by zero, as in the
    implementation: so each of them costs as much as the others.
    Source: transformers 5.23, ``ZayaSparseMoeBlock``.
    """

    E: Expr = sizes.E
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    d_rt: Expr = sizes.d_rt
    activation: Gating = "silu"

    signature: ClassVar[str] = "B T d, B T d_rt -> B T d, B T d_rt"
    title: ClassVar[str] = "mixture of experts whose router hands on what it says"

    def forward(self, x: Tensor, before: Tensor | None = None) -> Steps:
        B, T, _ = x.shape
        rows = view("B T d -> (B T) d", x)
        slots = indices("slots", B * T, self.E, B * T / self.E, average=True)
        given = gather(rows, slots)
        heard = () if before is None else (view("B T r -> (B T) r", before),)
        router = HandingRouter(self.E, self.d, self.d_rt)
        weights, said = router.apply(rows, slots, *heard, name="router")
        experts = Experts(self.E, ONE, self.d, self.d_ff, self.activation)
        made = experts(given, name="experts") * weights
        y = view("(B T) d -> B T d", scatter(made, slots, rows.shape), B=B)
        return steps(given=given, weights=weights, weighted=made, y=y,
                     said=view("(B T) r -> B T r", said, B=B))  # fmt: skip


@dataclass(frozen=True)
class HandingBlock(Block):
    """A block whose router hears what that of the block before said, and whose sums are scaled.

    Source: transformers 5.23, ``ZayaDecoderLayer``.
    """

    signature: ClassVar[str] = "B T d, B T d_rt -> B T d, B T d_rt"
    title: ClassVar[str] = "transformer block with scaled sums and a router that hands on"

    def forward(self, x: Tensor, before: Tensor | None = None) -> Steps:
        attended = self.attend(self.normalize(x, 1))
        middle = ScaledSum(self.d)(x, attended, name="residual_1")
        assert self.network is not None
        heard = () if before is None else (before,)
        fed, said = self.network.apply(self.normalize(middle, 2), *heard, name="feed_forward")
        y = ScaledSum(self.d)(middle, fed, name="residual_2")
        return steps(middle=middle, y=y, said=said)


@dataclass(frozen=True)
class Zaya(GatedDecoder, WindowedDecoder):
    """The decoder-only transformer of ZAYA1: attention in heads that together are narrow, experts.

    Routers hear what the one before said; the first hears nothing, and its layer stands by itself:
    ``first_windowed`` says whether it looks back at a window, ``windows`` which of the others do.
    Numbers that balance experts are no parameters; that the residual path is kept in fp32 is left
    out.
    Source: Figliolia et al. (2025) for its attention; transformers 5.23, ``ZayaForCausalLM``.
    """

    Y: Expr = ONE
    E: Expr = sizes.E
    d_rt: Expr = sizes.d_rt
    K: Expr = sizes.K
    K_g: Expr = sizes.K_g
    d_rot: Expr = sizes.d_rot
    tied: bool = True
    head: Literal["lm", "bare"] = "lm"
    partly: bool = True
    biased: Annotated[bool, Seldom()] = False
    attention_bias: Annotated[bool, Seldom()] = False
    first_windowed: Annotated[bool, Seldom()] = False
    windows: Annotated[Windows, Seldom()] = "none"
    activation: Gating = "silu"

    title: ClassVar[str] = "decoder, convolved queries and keys, routers that hand on, experts"
    references: ClassVar[tuple[str, ...]] = (CLASS, FIGLIOLIA)

    @property
    def head_bias(self) -> bool:  # type: ignore[override]
        """Whether scores of tokens have a bias."""
        return self.biased

    def place(self, x: Tensor) -> Tensor:
        return moved(super().place(x), "entered")

    def attention(self) -> Attention:
        return ConvolvedAttention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.attention_bias, causal=True,
            rotary=True, cached=self.seen, d_rot=self.d_rot if self.partly else None,
            K=self.K, K_g=self.K_g,
        )  # fmt: skip

    def network(self) -> Component:
        return HandingMixture(self.E, self.d, self.d_ff, self.d_rt, self.activation)

    def block(self) -> Block:
        return HandingBlock(self.d, norm="rms", attention=self.attention(), network=self.network())

    def layers(self) -> Layers:
        rest = self.L - 1
        if self.windows == "none":
            return {"block": (self.block(), rest)}
        near = self.windowed(self.block())
        if self.windows == "all":
            return {"windowed_block": (near, rest)}
        number = self.L_w - int(self.first_windowed)
        return {"windowed_block": (near, number), "block": (self.block(), rest - number)}

    def through(self, x: Tensor) -> Tensor:
        first = self.windowed(self.block()) if self.first_windowed else self.block()
        x, said = first.apply(x, name="first_block", recompute=self.recompute)
        for name, (block, times) in self.layers().items():
            x, said = scan(block, times, (x, said), name=name, recompute=self.recompute)
        return x
