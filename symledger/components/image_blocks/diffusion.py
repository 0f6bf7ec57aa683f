"""Blocks of diffusion U-Nets: convolutions that know the step, attention that reads a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.sourced import SourcedAttention
from symledger.components.convolution.convolution import Conv2d
from symledger.components.convolution.windowed import square
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.image_norms import GroupNorm
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat, view

HO = "Ho et al., Denoising Diffusion Probabilistic Models (2020)"
ROMBACH = "Rombach et al., High-Resolution Image Synthesis with Latent Diffusion Models (2022)"
PODELL = (
    "Podell et al., SDXL: Improving Latent Diffusion Models for High-Resolution Image Synthesis "
    "(2023)"
)


def convolved(x: Tensor, C_out: Expr, name: str, kernel: int = 3) -> Tensor:
    """Apply a convolution that keeps the size of the image."""
    H, W = x.shape[2:]
    return Conv2d(
        C_in=x.shape[1], C_out=C_out, G=ONE, H_o=H, W_o=W, **square(kernel, padding=kernel // 2)
    )(x, name=name)  # fmt: skip


@dataclass(frozen=True)
class StepResidual(Component):
    """Two convolutions after group norms, with what the step says added between.

    Beside it goes the image, through a 1 × 1 convolution where its channels change.
    Source: Ho et al. (2020), appendix B; Rombach et al. (2022), section 3.2.
    """

    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    d: Expr = sizes.d
    G: Expr = sizes.G
    activation: Plain = "silu"

    signature: ClassVar[str] = "B C_in H W, B d -> B C_out H W"
    title: ClassVar[str] = "two convolutions beside a residual path, the step added between"
    references: ClassVar[tuple[str, ...]] = (f"{HO}, appendix B", f"{ROMBACH}, section 3.2")

    def forward(self, x: Tensor, step: Tensor) -> Steps:
        n = act(self.activation, GroupNorm(self.C_in, self.G)(x, name="norm_1"))
        u = convolved(n, self.C_out, "conv_1")
        told = Linear(self.d, self.C_out)(act(self.activation, step), name="step")
        u = u + view("b c -> b c () ()", told)
        n = act(self.activation, GroupNorm(self.C_out, self.G)(u, name="norm_2"))
        y = convolved(n, self.C_out, "conv_2")
        beside = x if self.C_in == self.C_out else convolved(x, self.C_out, "shortcut", 1)
        return steps(u=u, y=beside + y)


@dataclass(frozen=True)
class ReadingBlock(Component):
    """Attention of all places to each other, then to a text; then a gated network.

    Source: Rombach et al. (2022), appendix E.2.1.
    """

    C: Expr = sizes.C
    h: Expr = sizes.h
    d_ctx: Expr = sizes.d_ctx

    signature: ClassVar[str] = "B T C, B S d_ctx -> B T C"
    title: ClassVar[str] = "transformer block that reads a text"
    references: ClassVar[tuple[str, ...]] = (f"{ROMBACH}, appendix E.2.1",)

    def forward(self, t: Tensor, text: Tensor) -> Steps:
        return steps(t=self.through(t, text))

    def through(self, t: Tensor, text: Tensor) -> Tensor:
        """Attend, read and feed forward, each beside what was."""
        width = self.C / self.h
        own = Attention(
            self.C, self.h, self.h, width, width, bias=True, unbiased=("Q", "K", "V")
        )  # fmt: skip
        t = t + own(LayerNorm(self.C)(t, name="norm_1"), name="attention")
        t = t + self.read(LayerNorm(self.C)(t, name="norm_2"), text)
        network = GatedFeedForward(self.C, 4 * self.C, "gelu", bias=True)
        return t + network(LayerNorm(self.C)(t, name="norm_3"), name="feed_forward")

    def read(self, t: Tensor, text: Tensor) -> Tensor:
        """Attend to the text; only the last map has a bias."""
        width = self.C / self.h
        reading = SourcedAttention(self.C, self.h, width, self.d_ctx, self.d_ctx, out_bias=True)
        return reading(t, text, text, name="cross_attention")


@dataclass(frozen=True)
class SpatialTransformer(Component):
    """Attention of all places of an image to each other, then to a text; then a gated network.

    Source: Rombach et al. (2022), section 3.3 and appendix E.2.1.
    """

    C: Expr = sizes.C
    h: Expr = sizes.h
    d_ctx: Expr = sizes.d_ctx
    G: Expr = sizes.G

    signature: ClassVar[str] = "B C H W, B S d_ctx -> B C H W"
    title: ClassVar[str] = "transformer block over the places of an image that reads a text"
    references: ClassVar[tuple[str, ...]] = (f"{ROMBACH}, section 3.3 and appendix E.2.1",)

    def forward(self, x: Tensor, text: Tensor) -> Steps:
        H, W = x.shape[2:]
        n = convolved(GroupNorm(self.C, self.G)(x, name="norm"), self.C, "enter", 1)
        t = view("b c h w -> b (h w) c", n)
        t = self.through(t, text)
        y = convolved(view("b (h w) c -> b c h w", t, h=H, w=W), self.C, "leave", 1)
        return steps(t=t, y=x + y)

    def through(self, t: Tensor, text: Tensor) -> Tensor:
        """Apply one block, whose parts are parts of this one."""
        return ReadingBlock(self.C, self.h, self.d_ctx).through(t, text)


@dataclass(frozen=True)
class DeepSpatialTransformer(SpatialTransformer):
    """L transformer blocks over the places of an image, each of which reads a text.

    Source: Podell et al. (2023), section 2.1.
    """

    L: Expr = sizes.L

    title: ClassVar[str] = "transformer blocks over the places of an image that read a text"
    references: ClassVar[tuple[str, ...]] = (f"{PODELL}, section 2.1",)

    def through(self, t: Tensor, text: Tensor) -> Tensor:
        """Apply L blocks."""
        return repeat(ReadingBlock(self.C, self.h, self.d_ctx), self.L, t, text, name="block")
