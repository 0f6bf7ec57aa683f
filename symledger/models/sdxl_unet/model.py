"""The U-Net of SDXL: fewer levels and deeper transformers, told sizes and a vector of the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.blocks.step_embedding import StepEmbedding, waves
from symledger.components.image_blocks.diffusion import PODELL, DeepSpatialTransformer
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.diffusion_unet.model import TextUNet
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, join, view
from symledger.sizes import L_i

SIX = Integer(6)
"""Numbers of an image: its height and width, where it was cropped, and how large it is to be."""


@dataclass(frozen=True)
class SizeEmbedding(Component):
    """A vector of a text and the sizes of an image as one vector, through two affine maps.

    Source: Podell et al. (2023), section 2.2; diffusers, addition_embed_type text_time.
    """

    d_proj: Expr = sizes.d_proj
    d_f: Expr = sizes.d_f
    d: Expr = sizes.d
    six: Expr = SIX

    signature: ClassVar[str] = "B d_proj, B six -> B d"
    title: ClassVar[str] = "a text and the sizes of an image as a vector"
    references: ClassVar[tuple[str, ...]] = (f"{PODELL}, section 2.2",)

    def forward(self, pooled: Tensor, image: Tensor) -> Steps:
        turning = waves(view("b n -> (b n)", image), self.d_f)
        told = join([pooled, view("(b n) f -> b (n f)", turning, n=self.six)])
        u = apply("silu", Linear(told.shape[-1], self.d)(told, name="1"))
        return steps(told=told, y=Linear(self.d, self.d)(u, name="2"))


@dataclass(frozen=True)
class SDXLUNet(TextUNet):
    """The network that predicts the noise in a latent image, given the step, a text and sizes.

    Three levels of two convolutional blocks. After every block of the second and the third stand
    L_2 and L_3 transformer blocks, the latter in the middle too; heads are d_h wide. With the step
    it is told a vector of the whole text, and six numbers of the image.
    Source: Podell et al. (2023), section 2 and table 1; diffusers, UNet2DConditionModel.
    """

    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    d_proj: Expr = sizes.d_proj
    d_f: Expr = sizes.d_f
    six: Expr = SIX

    signature: ClassVar[str] = "B C_in H W, B, B S d_ctx, B d_proj, B six -> B C_out H W"
    title: ClassVar[str] = "U-Net over latent images of three levels, with deep transformers"
    references: ClassVar[tuple[str, ...]] = (f"{PODELL}, section 2 and table 1",)

    @property
    def levels(self) -> tuple[tuple[Expr, Component | None], ...]:
        second, third = self.transformer(self.C_2, self.L_2), self.middle
        return (self.C_1, None), (self.C_2, second), (self.C_3, third)

    @property
    def middle(self) -> Component:
        return self.transformer(self.C_3, self.L_3)

    def transformer(self, C: Expr, L: Expr) -> Component:
        """Return a transformer of a level so wide, so deep."""
        return DeepSpatialTransformer(C, C / self.d_h, self.d_ctx, self.G, L)

    def forward(
        self, x: Tensor, step: Tensor, text: Tensor, pooled: Tensor, image: Tensor
    ) -> Steps:  # fmt: skip
        d = 4 * self.C_1
        t = StepEmbedding(self.C_1, d, self.activation)(step, name="step")
        told = SizeEmbedding(self.d_proj, self.d_f, d)(pooled, image, name="told")
        return self.denoised(x, t + told, text)
