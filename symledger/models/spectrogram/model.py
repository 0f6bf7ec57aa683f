"""Audio spectrogram transformer: DeiT over a picture of a sound, whose patches overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.convolution.convolution import Conv2d
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, narrow, param, repeat, view
from symledger.sizes import Size

GONG = "Gong, Chung, Glass, AST: Audio Spectrogram Transformer (2021)"
DOWN = floor((sizes.C - sizes.P) / sizes.s_h) + 1
ACROSS = floor((sizes.T_f - sizes.P) / sizes.s_w) + 1


@dataclass(frozen=True)
class SpectrumEmbedding(Component):
    """Two learned vectors, those of all patches, which overlap, and a row for each place.

    Source: Gong, Chung, Glass (2021), sections 2.1 and 2.2.
    """

    P: Expr
    d: Expr
    s_h: Expr
    s_w: Expr
    H_p: Expr
    T: Expr

    signature: ClassVar[str] = "B T_f C -> B T d"
    title: ClassVar[str] = "overlapping patches of a spectrum, two vectors before them"

    def forward(self, x: Tensor) -> Steps:
        picture = view("B t c -> B () c t", x)
        cut = Conv2d(
            C_in=ONE, C_out=self.d, G=ONE, H_o=self.H_p, W_o=(self.T - 2) / self.H_p,
            K_h=self.P, K_w=self.P, s_h=self.s_h, s_w=self.s_w, p_h=Integer(0), p_w=Integer(0),
            r_h=ONE, r_w=ONE,
        )  # fmt: skip
        patches = view("b d i j -> b (i j) d", cut(picture, name="patches"))
        learned = [
            expand(view("d -> () () d", param(name, self.d)), (x.shape[0], ONE, self.d))
            for name in ("c", "c_2")
        ]
        tokens = join([*learned, patches], axis=1)
        y = LearnedPositions(self.T, self.d)(tokens, name="positions")
        return steps(patches=patches, y=y)


@dataclass(frozen=True)
class SpectrogramTransformer(Component):
    """DeiT over T_f frames of C bands each, cut into patches that overlap.

    What is classified is the mean of its two learned vectors, normalized once more; without
    ``head`` that mean is left as it is. Without ``qkv_bias`` the maps to queries, keys and values
    have no bias.
    Source: Gong, Chung, Glass, *AST: Audio Spectrogram Transformer* (2021), section 2.
    """

    C: Expr = sizes.C
    P: Expr = sizes.P
    s_h: Expr = sizes.s_h
    s_w: Expr = sizes.s_w
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    Y: Expr = sizes.Y
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    head: bool = True
    qkv_bias: Annotated[bool, Seldom()] = True
    activation: Activation = "gelu"

    signature: ClassVar[str] = "B T_f C -> ... out"
    title: ClassVar[str] = "pre-LN encoder over overlapping patches of a spectrum"
    definitions: ClassVar[dict[Size, Expr]] = {sizes.H_p: DOWN, sizes.T: DOWN * ACROSS + 2}
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{GONG}, section 2",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else self.d

    def block(self) -> Component:
        """Return the block that is repeated."""
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, True,
            unbiased=() if self.qkv_bias else ("Q", "K", "V"),
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        return PreLNBlock(self.d, causal=False, attention=attention, network=network)

    def forward(self, x: Tensor) -> Steps:
        embedding = SpectrumEmbedding(self.P, self.d, self.s_h, self.s_w, self.H_p, self.T)
        tokens = repeat(self.block(), self.L, embedding(x, name="embedding"), name="block")
        hidden = LayerNorm(self.d)(tokens, name="final_norm")
        first, second = (view("B one d -> B (one d)", narrow(hidden, 1, i, 1)) for i in range(2))
        pooled: Tensor = (first + second) / 2
        if not self.head:
            return steps(hidden=hidden, pooled=pooled)
        scored = Linear(self.d, self.Y)(LayerNorm(self.d)(pooled, name="head_norm"), name="head")
        return steps(hidden=hidden, pooled=pooled, logits=scored)
