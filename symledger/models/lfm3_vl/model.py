"""LFM3 with images: an encoder of gated convolutions and attention, a norm, and two maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.lfm2.model import Lfm3
from symledger.models.qwen_vision.model import GRID, framed
from symledger.models.shared.hybrid import MixingBlock, Which
from symledger.models.shared.seeing import Answer, Seeing
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, repeat, view
from symledger.sizes import Size

SOURCE = "transformers 5.23, Lfm3VlForConditionalGeneration"


@dataclass(frozen=True)
class ImageConvolution(Component):
    """A convolution of every channel of an image by itself, between two gates.

    All three are mapped from x: y = W_out (c ⊙ conv(b ⊙ u)). No place is lost at the edges.
    Source: transformers 5.23, ``Lfm3VlVisionShortConv``.
    """

    d: Expr
    K: Expr
    H_p: Expr
    W_p: Expr

    signature: ClassVar[str] = "B (H_p W_p) d -> B (H_p W_p) d"

    def forward(self, x: Tensor) -> Steps:
        wide = Linear(self.d, 3 * self.d, False)(x, name="in")
        b, c, u = (narrow(wide, -1, place * self.d, self.d) for place in range(3))
        laid = view("n (i j) d -> n d i j", b * u, i=self.H_p, j=self.W_p)
        window = {f"{name}_{axis}": e for axis in "hw" for name, e in
                  {"K": self.K, "s": ONE, "p": (self.K - 1) / 2, "r": ONE}.items()}  # fmt: skip
        convolution = Conv2d(
            C_in=self.d, C_out=self.d, G=self.d, H_o=self.H_p, W_o=self.W_p, bias=False, **window
        )
        v = view("n d i j -> n (i j) d", convolution(laid, name="convolution"))
        z = c * v
        return steps(wide=wide, v=v, z=z, y=Linear(self.d, self.d, False)(z, name="out"))


@dataclass(frozen=True)
class Lfm3Vision(Component):
    """Blocks over all patches of an image: L_a of L attend, the others have gated convolutions.

    An image is seen as two frames alike. Queries and keys are normalized, and turned by where a
    patch stands, half of them by its row and half by its column, which counts what turning by one
    position counts. No norm ends the stack.
    Source: transformers 5.23, ``Lfm3VlVisionModel``.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    d: Expr = sizes.d
    L: Expr = sizes.L
    L_a: Expr = sizes.L_a
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_ff: Expr = sizes.d_ff
    K: Expr = sizes.K
    attending: Which = "some"

    signature: ClassVar[str] = "B C_in H W -> B T_img d"
    title: ClassVar[str] = "encoder over patches, gated convolutions and attention"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.h_kv: sizes.h}
    definitions: ClassVar[dict[Size, Expr]] = GRID
    references: ClassVar[tuple[str, ...]] = (SOURCE,)

    def block(self, attends: bool) -> Component:
        """Return a block of either kind."""
        width, down, across = self.d / self.h, self.g * self.H_g, self.g * self.W_g
        network = GatedFeedForward(self.d, self.d_ff)
        if not attends:
            mixer = ImageConvolution(self.d, self.K, down, across)
            return MixingBlock(self.d, norm="rms", network=network, mixer=mixer)
        attention = Attention(self.d, self.h, self.h_kv, width, width, rotary=True, qk_norm="rms")
        return MixingBlock(self.d, norm="rms", attention=attention, network=network)

    def forward(self, x: Tensor) -> Steps:
        down, across = self.g * self.H_g, self.g * self.W_g
        y = framed(x, self.C_in, self.P, self.d, down, across, bias=False)
        y = RMSNorm(self.d)(y, name="embedding_norm")
        there = self.L if self.attending == "all" else self.L_a
        if self.attending != "all":
            number = self.L if self.attending == "none" else self.L - there
            y = repeat(self.block(attends=False), number, y, name="block")
        if self.attending != "none":
            y = repeat(self.block(attends=True), there, y, name="attention_block")
        return steps(y=y)


@dataclass(frozen=True)
class Lfm3VL(Lfm3, Seeing):
    """LFM3 with images of any size: vectors are normalized, g × g of them side by side are mapped.

    Source: transformers 5.23, ``Lfm3VlForConditionalGeneration``.
    """

    head: Answer = "lm"
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    L_ai: Expr = sizes.L_ai
    h_ki: Expr = sizes.h_ki
    K_img: Expr = sizes.K_img
    d_proj: Expr = sizes.d_proj
    bias: Annotated[bool, Seldom()] = False
    attending: Annotated[Which, Seldom()] = "some"
    windows: Annotated[Which, Seldom()] = "some"
    image_attending: Annotated[Which, Seldom()] = "some"
    projector_activation: Plain = "gelu"
    projector_bias: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "LFM3 with images of any size, groups of patches side by side"
    assumptions: ClassVar[dict[Size, Expr]] = {**Lfm3.assumptions, sizes.h_ki: sizes.h_img}
    definitions: ClassVar[dict[Size, Expr]] = {**Lfm3.definitions, **GRID}
    references: ClassVar[tuple[str, ...]] = (SOURCE,)

    def tower(self) -> Component:
        return Lfm3Vision(
            self.C_in, self.P, self.g, self.H_g, self.W_g, self.d_img, self.L_img, self.L_ai,
            self.h_img, self.h_ki, self.f_img, self.K_img, self.image_attending,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        normed = LayerNorm(self.d_img)(seen, name="projector_norm")
        merged = PatchMerging(self.d_img, self.g, self.H_g, self.W_g)(normed, name="merging")
        projector = Projector(
            self.g**2 * self.d_img, self.d_proj, self.d, self.projector_activation,
            self.projector_bias,
        )  # fmt: skip
        return projector(merged, name="projector")
