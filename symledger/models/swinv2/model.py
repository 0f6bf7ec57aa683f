"""Swin V2: cosines in place of products, biases that a network makes, norms behind each part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Mod, Piecewise, Symbol, floor, log

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import MIX, SCORES
from symledger.components.attention.grid import GridAttention
from symledger.components.attention.masks import Masked
from symledger.components.attention.shifted import ShiftedGridAttention, WindowedImageAttention
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import EPSILON, LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import halvings
from symledger.models.swin.model import EVEN, STAGES, Merging, Swin
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, gather, param, table, total, view
from symledger.sizes import H_wi, L_i, L_p, M_i, Size, W_wi

LIU = "Liu et al., Swin Transformer V2 (2022)"
INSIDE = Integer(512)
"""Hidden width of the network that makes biases."""
MOST = Integer(16)
"""What biases stay below."""


def _windows(length: Size, at: int) -> Expr:
    """Return how many windows a side has in a stage, where each rest is filled up."""
    side = sizes.P * 2**at * M_i[at]
    return floor((length + side - 1) / side)


COUNTED: dict[Size, Expr] = {
    **{size: _windows(of, i) for i in reversed(STAGES)
       for size, of in ((H_wi[i], sizes.H), (W_wi[i], sizes.W))},
    **halvings((True,) * 4, sizes.P),
    **{L_p[i]: floor(L_i[i] / 2) for i in STAGES},
}  # fmt: skip
ALIKE: dict[Size, Expr] = {
    **EVEN,
    **{H_wi[i]: sizes.H / (2**i * sizes.P * M_i[i]) for i in STAGES},
    **{W_wi[i]: sizes.W / (2**i * sizes.P * M_i[i]) for i in STAGES},
    **{M_i[i]: M_i[0] for i in STAGES[1:]},
}


@dataclass(frozen=True)
class CosineGridAttention(GridAttention):
    """Attention by cosines of queries with keys, each head's times a learned number.

    What is added for the way between two places is made by a network of what lies between them, on
    a logarithmic scale; the learned number is at most 100, which changes no count.
    Source: Liu et al. (2022), sections 3.2 and 3.3.
    """

    title: ClassVar[str] = "attention by cosines, biases made by a network"

    def bias(self, T: Expr) -> Tensor:
        across = 2 * self.W_p - 1

        def far(way: Expr) -> Expr:
            length = 8 * Piecewise((-way, way < 0), (way, True)) / self.H_p
            return Piecewise((-ONE, way < 0), (ONE, True)) * log(1 + length) / log(8)

        def apart(i: Symbol, axis: Symbol) -> Expr:
            down, beside = floor(i / across) - self.H_p + 1, Mod(i, across) - self.W_p + 1
            return Piecewise((far(down), axis < 1), (far(beside), True))

        hidden = Linear(Integer(2), INSIDE)(table("apart", apart, self.ways, Integer(2)), name="1")
        made = Linear(INSIDE, self.h, bias=False)(apply("relu", hidden), name="2")
        bias = apply("sigmoid", gather(made, self.way(T))) * MOST
        return view("T S (g r) -> g r T S", bias, g=self.h_kv)

    def mixed(
        self, q: Tensor, k: Tensor, v: Tensor, masked: Masked,
        bias: Tensor | None = None, dropout: bool = False, sinks: bool = False,
        capped: bool = False,
    ) -> Steps:  # fmt: skip
        del dropout, sinks, capped
        mask, pairs = masked
        q = view("B T (g r) k -> B T g r k", self.directed(q), g=self.h_kv)
        cosines = einsum(SCORES, q, self.directed(k), pairs, mask)
        times = view("(g r) -> g r () ()", apply("exp", param("s", self.h)), g=self.h_kv)
        scores = cosines * times
        scores = scores if bias is None else scores + bias
        a = Softmax()(scores, name="softmax")
        z = einsum(MIX, a, v, pairs, mask)
        return steps(cosines=cosines, scores=scores, a=a, z=view("B T g r v -> B T (g r) v", z))

    def directed(self, x: Tensor) -> Tensor:
        """Return the direction of each vector: of zeros, as they fill windows up, zeros."""
        directed: Tensor = x * apply("rsqrt", total(apply("square", x)) + EPSILON)
        return directed


@dataclass(frozen=True)
class ShiftedCosineAttention(CosineGridAttention, ShiftedGridAttention):
    """The same in windows of which the last hold places that were far off.

    Source: Liu et al. (2022), section 3.1.
    """

    title: ClassVar[str] = "attention by cosines inside windows of an image that was rolled"


@dataclass(frozen=True)
class CosineWindows(WindowedImageAttention):
    """Attention by cosines inside windows, which may be shifted; keys have no bias.

    Source: Liu et al. (2022), section 3.2.
    """

    def attention(self) -> Component:
        heads = (self.h, self.h, self.d_k, self.d_k, self.M, self.M)
        mixing: Component = CosineGridAttention(*heads)
        if self.shifted:
            mixing = ShiftedCosineAttention(*heads, self.H_w, self.W_w)
        unbiased = ("K",) if self.bias else ("Q", "K", "V")
        return Attention(
            self.d, self.h, self.h, self.d_k, self.d_k, True, mixing=mixing, unbiased=unbiased
        )


@dataclass(frozen=True)
class NormedBehindBlock(Component):
    """Attention inside windows, then a network; a norm behind each, before it is added.

    Source: Liu et al. (2022), section 3.2, figure 1.
    """

    d: Expr
    d_ff: Expr
    windows: CosineWindows
    activation: Activation

    signature: ClassVar[str] = "B H W d -> B H W d"
    title: ClassVar[str] = "block of attention inside windows, norms behind its parts"

    def forward(self, x: Tensor) -> Steps:
        middle = x + LayerNorm(self.d)(self.windows(x, name="windows"), name="norm_1")
        network = FeedForward(self.d, self.d_ff, self.activation)
        fed = LayerNorm(self.d)(network(middle, name="feed_forward"), name="norm_2")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class NormedMerging(Merging):
    """The vectors of every 2 × 2 places side by side, mapped to half as many, then normalized.

    Source: Liu et al. (2022), section 3.2, and its implementation.
    """

    def reduce(self, beside: Tensor) -> Tensor:
        mapped = Linear(4 * self.d, 2 * self.d, bias=False)(beside, name="map")
        return LayerNorm(2 * self.d)(mapped, name="norm")


@dataclass(frozen=True)
class SwinV2(Swin):
    """An image classifier of four stages of windows, whose attention goes by cosines.

    A window is no larger than the image is in a stage. Images and windows that do not divide are
    filled up with zeros. Without ``head`` the mean over places is the result, after all of them.
    Keys have no bias; without ``qkv_bias`` queries and values have none either.
    Source: Liu et al., *Swin Transformer V2* (2022), section 3.
    """

    M_1: Expr = M_i[0]
    M_2: Expr = M_i[1]
    M_3: Expr = M_i[2]
    M_4: Expr = M_i[3]

    title: ClassVar[str] = "image classifier of attention by cosines inside shifted windows"
    definitions: ClassVar[dict[Size, Expr]] = COUNTED
    assumptions: ClassVar[dict[Size, Expr]] = ALIKE
    references: ClassVar[tuple[str, ...]] = (f"{LIU}, section 3",)

    def block(self, at: int, shifted: bool) -> Component:
        d, heads = 2**at * self.C, (self.h_1, self.h_2, self.h_3, self.h_4)[at]
        side = (self.M_1, self.M_2, self.M_3, self.M_4)[at]
        windows = CosineWindows(
            d, heads, d / heads, side, H_wi[at], W_wi[at], shifted, self.qkv_bias
        )
        return NormedBehindBlock(d, self.t * d, windows, self.activation)

    def merging(self, at: int) -> Component:
        d, down, across = self.merged(at)
        return NormedMerging(d, down, across)
