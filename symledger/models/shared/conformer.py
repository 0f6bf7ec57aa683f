"""What a conformer's block is made of: two halves of a network, attention, a convolution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, Mod, Piecewise, Rational, Symbol, cos, floor, sin

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import HeadAttention
from symledger.components.attention.masks import EVERYTHING
from symledger.components.convolution.convolution import Conv1d
from symledger.components.embeddings.rotary import BASE
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.image_norms import BatchNorm
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    expand,
    gather,
    indices,
    narrow,
    pad,
    param,
    table,
    view,
)

DAI = "Dai et al., Transformer-XL (2019), section 3.3"
GULATI = "Gulati et al., Conformer (2020)"
HALF = Rational(1, 2)
HEADS = "B T h d_k, B T h_kv d_k, B T h_kv d_v -> B T h d_v"


@dataclass(frozen=True)
class DistanceAttention(HeadAttention):
    """Attention whose scores have a part for each distance: maps of sines, met by the queries.

    All 2T − 1 distances are mapped, ``once`` or for each sequence of the batch, and scored by all
    queries; each takes the T that are its own. A bias of the queries is learned for keys and
    another for distances.
    Source: Dai et al., *Transformer-XL* (2019), section 3.3 and appendix B.
    """

    d: Expr = sizes.d
    once: bool = True

    signature: ClassVar[str] = HEADS
    title: ClassVar[str] = "attention to keys and to how far away they are"
    references: ClassVar[tuple[str, ...]] = (DAI,)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        T, far = q.shape[1], 2 * q.shape[1] - 1
        places = table("P", lambda t, i: self.wave(T - 1 - t, i), far, self.d)
        if not self.once:
            places = expand(view("u d -> () u d", places), (q.shape[0], far, self.d))
        u, w = (param(name, self.h, self.d_k) for name in ("u", "v"))
        r = Linear(self.d, self.h * self.d_k, bias=False)(places, name="R")
        batch = "" if self.once else "b "
        r = view(f"{batch}u (h k) -> {batch}u h k", r, h=self.h, k=self.d_k)
        scored = einsum(f"b t h k, {batch}u h k -> b h t u", q + w, r)
        bias = view("b (g r) t s -> b g r t s", self.shifted(scored, T), g=self.h_kv)
        return self.mixed(q + u, k, v, EVERYTHING, bias * self.scale)

    def wave(self, t: Expr, i: Symbol) -> Expr:
        """Return element i of a distance: a sine where i is even, a cosine where it is odd."""
        turn = t / BASE ** (2 * floor(i / 2) / self.d)
        return Piecewise((sin(turn), Mod(i, 2) < HALF), (cos(turn), True))

    def shifted(self, x: Tensor, T: Expr) -> Tensor:
        """Give each query the distances of its keys: row t moves by T − 1 − t."""
        wide = view("b h t u -> b h (t u)", pad(x, 3, 1, 2 * T))
        long = narrow(view("b h (u t) -> b h u t", wide, t=T), 2, 1, 2 * T - 1)
        rows = view("b h (t u) -> b h t u", view("b h u t -> b h (u t)", long), t=T)
        return narrow(rows, 3, 0, T)


@dataclass(frozen=True)
class NearnessAttention(HeadAttention):
    """Attention whose scores have a part for each distance: a row of a table, met by the queries.

    The table has n_r rows; distances beyond the first and the last are as those.
    Source: Shaw et al., *Self-Attention with Relative Position Representations* (2018), section
    3.2.
    """

    n_r: Expr = sizes.n_r

    signature: ClassVar[str] = HEADS
    title: ClassVar[str] = "attention to keys and to rows for how far away they are"
    references: ClassVar[tuple[str, ...]] = (
        "Shaw et al., Self-Attention with Relative Position Representations (2018), section 3.2",
    )

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        distance = indices("distance", self.n_r, q.shape[1], k.shape[1])
        rows = gather(param("R", self.n_r, self.d_k), distance)
        scored = einsum("b t h k, t s k -> b h t s", q, rows)
        bias = view("b (g r) t s -> b g r t s", scored, g=self.h_kv)
        return self.mixed(q, k, v, EVERYTHING, bias * self.scale)


Norming = Literal["batch", "layer"]


@dataclass(frozen=True)
class ConformerConvolution(Component):
    """A map behind a gate, a convolution of each channel by itself, a norm, and a map back.

    Windows see as much on either side, or (``past``) what was before alone. There are d channels,
    or another number (``wide``). Maps have a bias where the convolution has one, unless it is said
    whether they are so ``mapped``.
    Source: Gulati et al., *Conformer* (2020), section 2.2.
    """

    d: Expr = sizes.d
    K: Expr = sizes.K
    norm: Norming = "batch"
    bias: bool = False
    past: bool = False
    activation: Plain = "silu"
    wide: Expr | None = None
    mapped: bool | None = None

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "a convolution of each channel between maps, the first behind a gate"
    references: ClassVar[tuple[str, ...]] = (f"{GULATI}, section 2.2",)

    def forward(self, x: Tensor) -> Steps:
        T, C = x.shape[1], self.d if self.wide is None else self.wide
        affine = self.bias if self.mapped is None else self.mapped
        wide = Linear(self.d, 2 * C, affine)(x, name="in")
        open_, gate = narrow(wide, 2, 0, C), narrow(wide, 2, C, C)
        gated = view("b t d -> b d t", open_ * apply("sigmoid", gate))
        p = (self.K - 1) / 2
        if self.past:
            gated, p = pad(gated, 2, self.K - 1, T + self.K - 1), Integer(0)
        seen = Conv1d(C_in=C, C_out=C, G=C, K=self.K, s=ONE, p=p, r=ONE, T_o=T, bias=self.bias)(
            gated, name="convolution"
        )
        if self.norm == "batch":
            image = BatchNorm(C)(view("b d t -> b d () t", seen), name="norm")
            rows = view("b d one t -> b (one t) d", image)
        else:
            rows = LayerNorm(C)(view("b d t -> b t d", seen), name="norm")
        y = Linear(C, self.d, affine)(act(self.activation, rows), name="out")
        return steps(wide=wide, seen=seen, y=y)


@dataclass(frozen=True)
class ConformerBlock(Component):
    """Half of a network, attention, a convolution, half of another network, and a norm.

    Each part is added to what entered it, which a norm goes before.
    Source: Gulati et al., *Conformer* (2020), section 2.4.
    """

    mixing: Component | None
    d: Expr = sizes.d
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    K: Expr = sizes.K
    norm: Norming = "batch"
    bias: bool = True
    convolution_bias: bool = False
    past: bool = False
    activation: Plain = "silu"

    shares: ClassVar[Mapping[str, tuple[Expr, Expr]]] = {"fed": (ONE, HALF), "near": (ONE, ONE)}
    norm_bias: ClassVar[bool] = True
    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "conformer block: networks around attention and a convolution"
    references: ClassVar[tuple[str, ...]] = (f"{GULATI}, section 2.4",)

    def forward(self, x: Tensor) -> Steps:
        fed = self.summed("fed", x, self.fed(x, 1))
        attended = fed + self.attention()(self.normed(fed, 2), name="attention")
        near = self.convolution()(self.normed(attended, 3), name="near")
        seen = self.summed("near", attended, near)
        y = self.normed(self.summed("fed", seen, self.fed(seen, 4)), 5)
        return steps(fed=fed, attended=attended, seen=seen, y=y)

    def summed(self, part: str, x: Tensor, found: Tensor) -> Tensor:
        """Add what a part found to what entered it, each with its share."""
        here, there = self.shares[part]
        x = x if here == ONE else here * x
        return x + (found if there == ONE else there * found)

    def normed(self, x: Tensor, number: int) -> Tensor:
        """Normalize x."""
        return LayerNorm(self.d, bias=self.norm_bias)(x, name=f"norm_{number}")

    def attention(self) -> Component:
        """Return the attention."""
        return Attention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.bias, mixing=self.mixing
        )

    def convolution(self) -> ConformerConvolution:
        """Return the convolution between maps."""
        return ConformerConvolution(
            self.d, self.K, self.norm, self.convolution_bias, self.past, self.activation
        )

    def fed(self, x: Tensor, number: int) -> Tensor:
        """Apply a norm and one of the networks."""
        network = FeedForward(self.d, self.d_ff, self.activation, self.bias)
        return network(self.normed(x, number), name=f"feed_forward_{1 if number == 1 else 2}")
