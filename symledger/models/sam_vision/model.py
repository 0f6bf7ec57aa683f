"""The encoder of images of Segment Anything: windows, a few blocks that see all, a neck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.decomposed import DecomposedAttention
from symledger.components.attention.shifted import WindowedImageAttention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import param, repeat, view
from symledger.sizes import Size

KIRILLOV = "Kirillov et al., Segment Anything (2023), appendix A"
LI = "Li et al., Exploring Plain Vision Transformer Backbones for Object Detection (2022)"
PLACES: dict[Size, Expr] = {
    sizes.H_p: floor(sizes.H / sizes.P), sizes.W_p: floor(sizes.W / sizes.P),
}  # fmt: skip
WINDOWS: dict[Size, Expr] = {
    sizes.H_w: floor((sizes.H_p + sizes.M - 1) / sizes.M),
    sizes.W_w: floor((sizes.W_p + sizes.M - 1) / sizes.M),
}  # fmt: skip


@dataclass(frozen=True)
class PlacedWindows(WindowedImageAttention):
    """Attention inside windows whose scores know how far down and how far across a place is.

    Source: Kirillov et al. (2023), appendix A; Li et al. (2022), section 3.
    """

    def attention(self) -> Component:
        return seeing_all(self.d, self.h, self.M, self.M, self.bias)


def seeing_all(d: Expr, h: Expr, H_p: Expr, W_p: Expr, bias: bool) -> Attention:
    """Return attention of all places of a grid to each other; the map back has a bias always."""
    mixing = DecomposedAttention(h, h, d / h, d / h, H_p, W_p)
    unbiased = () if bias else ("Q", "K", "V")
    return Attention(d, h, h, d / h, d / h, True, mixing=mixing, unbiased=unbiased)


@dataclass(frozen=True)
class SamBlock(PreLNBlock):
    """A block that sees windows of M × M places, or all places where it is ``wide``.

    Source: Kirillov et al. (2023), appendix A.
    """

    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    M: Expr = sizes.M
    H_w: Expr = sizes.H_w
    W_w: Expr = sizes.W_w
    wide: bool = False
    qkv_bias: bool = True

    title: ClassVar[str] = "block of attention inside windows, or of all places"

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        if self.wide:
            attention = seeing_all(self.d, self.h, self.H_p, self.W_p, self.qkv_bias)
            return attention(x, name="attention")
        windows = PlacedWindows(
            self.d, self.h, self.d / self.h, self.M, self.H_w, self.W_w, bias=self.qkv_bias
        )
        seen = windows(view("b (i j) d -> b i j d", x, i=self.H_p), name="windows")
        return view("b i j d -> b (i j) d", seen)


def mapped(
    x: Tensor, C_in: Expr, C_out: Expr, side: int, stride: int, name: str,
    left: tuple[Expr, Expr] | None = None,
) -> Tensor:  # fmt: skip
    """Convolve an image with windows of that side and stride, without a bias.

    ``left`` is how many places there are then down and across, as others call that.
    """
    around = side // 2
    found = left or [floor((n + 2 * around - side) / stride) + 1 for n in x.shape[2:]]
    places = {f"{axis}_o": n for axis, n in zip("HW", found, strict=True)}
    window = {
        f"{letter}_{axis}": Integer(n) for axis in "hw"
        for letter, n in {"K": side, "s": stride, "p": around, "r": 1}.items()
    }  # fmt: skip
    convolution = Conv2d(C_in=C_in, C_out=C_out, G=ONE, bias=False, **places, **window)
    return convolution(x, name=name)


def normed(x: Tensor, C: Expr, name: str) -> Tensor:
    """Normalize the channels of each place of an image."""
    y = LayerNorm(C)(view("b c i j -> b i j c", x), name=name)
    return view("b i j c -> b c i j", y)


@dataclass(frozen=True)
class SamVision(Component):
    """Blocks over the patches of an image, then two convolutions to C channels, each normalized.

    All but L_f blocks see windows of M × M places, the last filled up with zeros, which are
    computed like all others; where it is not ``windowed`` all blocks see all. Scores have a part
    for the rows and one for the columns between places. Which blocks see all places changes no
    count. Without ``placed`` no row is learned for a place; without ``qkv_bias`` the maps to
    queries, keys and values have none.
    Source: Kirillov et al., *Segment Anything* (2023), appendix A; Li et al., *Exploring Plain
    Vision Transformer Backbones for Object Detection* (2022), section 3.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    L_f: Expr = sizes.L_f
    M: Expr = sizes.M
    C: Expr = sizes.C
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    H_w: Expr = sizes.H_w
    W_w: Expr = sizes.W_w
    activation: Activation = "gelu"
    qkv_bias: bool = True
    placed: bool = True
    windowed: bool = True

    signature: ClassVar[str] = "B C_in H W -> B C H_p W_p"
    title: ClassVar[str] = "encoder of images whose blocks see windows, and few see all"
    definitions: ClassVar[dict[Size, Expr]] = {
        **{size: e.subs(PLACES) for size, e in WINDOWS.items()}, **PLACES,
    }  # fmt: skip
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_ff: 4 * sizes.d,
        sizes.H_p: sizes.H / sizes.P, sizes.W_p: sizes.W / sizes.P,
        sizes.H_w: sizes.H / (sizes.P * sizes.M), sizes.W_w: sizes.W / (sizes.P * sizes.M),
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (KIRILLOV, f"{LI}, section 3")

    def block(self, wide: bool) -> SamBlock:
        """Return a block that sees windows, or all places."""
        return SamBlock(
            self.d, self.h, self.h, self.d / self.h, self.d / self.h, self.d_ff,
            activation=self.activation, causal=False, H_p=self.H_p, W_p=self.W_p, M=self.M,
            H_w=self.H_w, W_w=self.W_w, wide=wide, qkv_bias=self.qkv_bias,
        )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.W_p)
        x = cut(x, name="patches")
        if self.placed:
            x = x + view("i j d -> () (i j) d", param("positions", self.H_p, self.W_p, self.d))
        if self.windowed:
            x = repeat(self.block(wide=False), self.L - self.L_f, x, name="block")
        wide = self.L_f if self.windowed else self.L
        hidden = repeat(self.block(wide=True), wide, x, name="wide_block")
        image = view("b (i j) d -> b d i j", hidden, i=self.H_p)
        narrow = normed(mapped(image, self.d, self.C, 1, 1, "neck_1"), self.C, "neck_norm_1")
        y = normed(mapped(narrow, self.C, self.C, 3, 1, "neck_2"), self.C, "neck_norm_2")
        return steps(hidden=hidden, y=y)
