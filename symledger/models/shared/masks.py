"""From a map of an image and vectors of prompts to masks: attention both ways, and what draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.sourced import SourcedAttention
from symledger.components.convolution.transposed import ConvTranspose2d
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, narrow, param, scan, view

KIRILLOV = "Kirillov et al., Segment Anything (2023)"
TWO = Integer(2)
"""How many times narrower attention between prompts and an image is inside."""


def attention(d: Expr, h: Expr, narrower: Expr) -> SourcedAttention:
    """Return attention whose heads together are so many times narrower than vectors."""
    return SourcedAttention(d, h, d / narrower / h, d, d, bias=True)


def drawn_larger(x: Tensor, C: Expr, name: str) -> Tensor:
    """Make an image twice as high and as wide: each place paints a square of its own."""
    H, W = x.shape[2:]
    said = {"K": TWO, "s": TWO, "p": Integer(0), "r": ONE}
    window = {f"{letter}_{axis}": e for axis in "hw" for letter, e in said.items()}
    larger = ConvTranspose2d(C_in=x.shape[1], C_out=C, G=ONE, H_o=2 * H, W_o=2 * W, **window)
    return larger(x, name=name)


@dataclass(frozen=True)
class TwoWayBlock(Component):
    """Prompts attend to themselves and to an image, then the image to them; norms behind each.

    The ``first`` one does not tell prompts where they stand, and adds nothing to what it finds.
    Source: Kirillov et al. (2023), appendix A, lightweight mask decoder, and its implementation.
    """

    d: Expr
    h: Expr
    d_ff: Expr
    activation: Gating
    first: bool = False

    signature: ClassVar[str] = "B n d, B S d, B n d, S d -> B n d, B S d"
    title: ClassVar[str] = "block of attention between prompts and an image, both ways"

    def forward(self, x: Tensor, image: Tensor, told: Tensor, places: Tensor) -> Steps:
        x = self.normed(self.itself(x, told), 1)
        across = attention(self.d, self.h, TWO)
        seen = across(x + told, image + places, image, name="to_image")
        x = self.normed(x + seen, 2)
        network = FeedForward(self.d, self.d_ff, self.activation)
        x = self.normed(x + network(x, name="feed_forward"), 3)
        back = across(image + places, x + told, x, name="to_prompts")
        return steps(x=x, image=self.normed(image + back, 4))

    def itself(self, x: Tensor, told: Tensor) -> Tensor:
        """Let prompts attend to each other."""
        own = attention(self.d, self.h, ONE)
        if self.first:
            return own(x, x, x, name="attention")
        return x + own(x + told, x + told, x, name="attention")

    def normed(self, x: Tensor, number: int) -> Tensor:
        """Normalize what a part leaves."""
        return LayerNorm(self.d)(x, name=f"norm_{number}")


@dataclass(frozen=True)
class MaskDecoder(Component):
    """Masks for each prompt, n_msk and one more, of which the one more is left out at the end.

    Learned vectors, one for each mask and one that says how good they are, stand before those of a
    prompt. Each becomes, by three maps of its own, what every place of the image, made four times
    as high and as wide, is multiplied with.
    Source: Kirillov et al. (2023), appendix A, lightweight mask decoder.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    L: Expr = sizes.L
    n_msk: Expr = sizes.n_msk
    d_iou: Expr = sizes.d_iou
    activation: Gating = "relu"

    signature: ClassVar[str] = "N d H W, N n d, S d -> N n_msk, N n_msk I J"
    title: ClassVar[str] = "masks for prompts, and how good each is"

    def forward(self, image: Tensor, tokens: Tensor, places: Tensor) -> Steps:
        flat = view("N d i j -> N (i j) d", image)
        sized = (self.d, self.h, self.d_ff, self.activation)
        x, flat = TwoWayBlock(*sized, first=True).apply(
            tokens, flat, tokens, places, name="first_layer"
        )
        x, flat = scan(TwoWayBlock(*sized), self.L - 1, (x, flat), tokens, places, name="layer")
        last = attention(self.d, self.h, TWO)(x + tokens, flat + places, flat, name="last")
        x = LayerNorm(self.d)(x + last, name="last_norm")
        seen = view("N (i j) d -> N d i j", flat, i=image.shape[2])
        masks = self.draw(seen, narrow(x, 1, 1, self.n_msk + 1))
        good = self.judge(view("N one d -> N (one d)", narrow(x, 1, 0, 1)))
        masks = narrow(masks, 1, 1, self.n_msk)
        return steps(scores=narrow(good, 1, 1, self.n_msk), masks=masks)

    def draw(self, image: Tensor, x: Tensor) -> Tensor:
        """Multiply every place of the image, made larger, with what a mask's vector becomes."""
        d, m = self.d, self.n_msk + 1
        larger = drawn_larger(image, d / 4, "larger_1")
        normed = LayerNorm(d / 4)(view("N d i j -> N i j d", larger), name="larger_norm")
        acted = apply("gelu", view("N i j d -> N d i j", normed))
        larger = apply("gelu", drawn_larger(acted, d / 8, "larger_2"))
        for i, out in enumerate((d, d, d / 8), start=1):
            weight, bias = param(f"W_{i}", m, d, out), param(f"b_{i}", m, out)
            x = view("m N o -> N m o", einsum("N m d, m d o -> m N o", x, weight)) + bias
            x = apply("relu", x) if i < 3 else x
        return einsum("N m c, N c i j -> N m i j", x, larger)

    def judge(self, x: Tensor) -> Tensor:
        """Say of each mask how good it is."""
        x = apply("relu", Linear(self.d, self.d_iou)(x, name="judge_1"))
        x = apply("relu", Linear(self.d_iou, self.d_iou)(x, name="judge_2"))
        return Linear(self.d_iou, self.n_msk + 1)(x, name="judge_3")
