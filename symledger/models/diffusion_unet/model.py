"""The U-Net of Stable Diffusion: convolutions that know the step, attention that reads a text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.blocks.step_embedding import StepEmbedding
from symledger.components.convolution.convolution import Conv2d
from symledger.components.convolution.windowed import square
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.image_blocks.diffusion import (
    ROMBACH,
    SpatialTransformer,
    StepResidual,
    convolved,
)
from symledger.components.norms.image_norms import GroupNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, view
from symledger.sizes import C_i, Size

TWO = Integer(2)


@dataclass(frozen=True)
class TextUNet(Component, ABC):
    """A U-Net that is told a step and reads a text: what all have, whatever their levels are.

    Source: Rombach et al. (2022), section 3.3.
    """

    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    d_h: Expr = sizes.d_h
    d_ctx: Expr = sizes.d_ctx
    G: Expr = sizes.G
    activation: Plain = "silu"

    assumptions: ClassVar[dict[Size, Expr]] = {
        C_i[1]: 2 * C_i[0], C_i[2]: 4 * C_i[0],
    }  # fmt: skip

    @property
    def number(self) -> int:
        """How many blocks a level has on the way down."""
        return 2

    @property
    @abstractmethod
    def levels(self) -> tuple[tuple[Expr, Component | None], ...]:
        """The channels of each level, and what stands after its blocks."""

    @property
    @abstractmethod
    def middle(self) -> Component:
        """What stands between the two middle blocks."""

    def denoised(self, x: Tensor, t: Tensor, text: Tensor) -> Steps:
        """Go down the levels and up again, given the step as a vector."""
        levels = self.levels
        x = convolved(x, self.C_1, "enter")
        named, seen = {"t": t, "x_0": x}, [x]
        for i, (C, after) in enumerate(levels):
            for j in range(self.number):
                x = self.block(x, t, text, C, f"down_{i + 1}_{j + 1}", after)
                named[f"x_{len(seen)}"] = x
                seen.append(x)
            if i < len(levels) - 1:
                x = self.halved(x, f"halving_{i + 1}")
                named[f"x_{len(seen)}"] = x
                seen.append(x)
        x = self.block(x, t, text, self.C_3, "middle_1", self.middle)
        x = self.block(x, t, text, self.C_3, "middle_2", None)
        named["z"] = x
        for i, (C, after) in reversed(list(enumerate(levels))):
            for j in range(self.number + 1):
                x = named[f"j_{len(seen)}"] = join([x, seen.pop()], axis=1)
                x = self.block(x, t, text, C, f"up_{i + 1}_{j + 1}", after)
                named[f"z_{len(seen)}"] = x
            if i:
                x = convolved(doubled(x), x.shape[1], f"doubling_{i + 1}")
        n = act(self.activation, GroupNorm(self.C_1, self.G)(x, name="last_norm"))
        return steps(**named, y=convolved(n, self.C_out, "leave"))

    def block(
        self, x: Tensor, t: Tensor, text: Tensor, C: Expr, name: str, after: Component | None
    ) -> Tensor:
        """Apply a convolutional block, and a transformer where the level has them."""
        x = StepResidual(x.shape[1], C, t.shape[-1], self.G, self.activation)(x, t, name=name)
        return after(x, text, name=f"{name}_attention") if after else x

    def halved(self, x: Tensor, name: str) -> Tensor:
        """Halve the image by a convolution with stride 2."""
        C, (H, W) = x.shape[1], (n / 2 for n in x.shape[2:])
        window = square(3, stride=2, padding=1)
        return Conv2d(C_in=C, C_out=C, G=ONE, H_o=H, W_o=W, **window)(x, name=name)


@dataclass(frozen=True)
class DiffusionUNet(TextUNet):
    """The network that predicts the noise in a latent image, given the step and a text.

    Four levels of ``blocks`` convolutional blocks, the last two as wide as each other. After every
    block stands a transformer, at the smallest level none but the middle one. The way up has one
    block more at every level, each beside what was seen on the way down. What is ``fixed`` at all
    levels is the number of heads, h, or their width, d_h: then wider levels have more of them.
    Source: Rombach et al. (2022), section 3.3 and table 15; diffusers, UNet2DConditionModel.
    """

    h: Expr = sizes.h
    blocks: Literal["1", "2", "3"] = "2"
    fixed: Literal["heads", "width"] = "heads"

    signature: ClassVar[str] = "B C_in H W, B, B S d_ctx -> B C_out H W"
    title: ClassVar[str] = "U-Net over latent images that knows the step and reads a text"
    references: ClassVar[tuple[str, ...]] = (f"{ROMBACH}, section 3.3 and table 15",)

    @property
    def number(self) -> int:
        return int(self.blocks)

    @property
    def levels(self) -> tuple[tuple[Expr, Component | None], ...]:
        each = [(C, self.transformer(C)) for C in (self.C_1, self.C_2, self.C_3)]
        return (*each, (self.C_3, None))

    @property
    def middle(self) -> Component:
        return self.transformer(self.C_3)

    def transformer(self, C: Expr) -> Component:
        """Return a transformer of a level so wide."""
        h = self.h if self.fixed == "heads" else C / self.d_h
        return SpatialTransformer(C, h, self.d_ctx, self.G)

    def forward(self, x: Tensor, step: Tensor, text: Tensor) -> Steps:
        t = StepEmbedding(self.C_1, 4 * self.C_1, self.activation)(step, name="step")
        return self.denoised(x, t, text)


def doubled(x: Tensor) -> Tensor:
    """Show every place as four: the nearest one of an image twice as high and wide."""
    B, C, H, W = x.shape
    copies = expand(view("b c h w -> b c h () w ()", x), (B, C, H, TWO, W, TWO))
    return view("b c h k w l -> b c (h k) (w l)", copies)
