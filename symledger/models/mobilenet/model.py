"""MobileNetV2: seven stages of inverted residual blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.image_blocks.inverted import SANDLER, InvertedResidual
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.components.maps.linear import Linear
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.segmentation import Segmentation
from symledger.models.shared.stages import Stage, averaged, halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.sizes import C_i, H_i, L_i, Size, W_i

STRIDES = (1, 2, 2, 2, 1, 2, 1)
SIX = Integer(6)


@dataclass(frozen=True)
class InvertedStages(Component):
    """A stem of C channels that halves the image, and seven stages of inverted residual blocks.

    L_1 … L_7 blocks have C_1 … C_7 channels, and are six times as wide inside but for the first.
    """

    C_in: Expr = sizes.C_in
    C: Expr = sizes.C
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    C_5: Expr = C_i[4]
    C_6: Expr = C_i[5]
    C_7: Expr = C_i[6]
    C_8: Expr = C_i[7]
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    L_5: Expr = L_i[4]
    L_6: Expr = L_i[5]
    L_7: Expr = L_i[6]
    Y: Expr = sizes.Y
    head: bool = True
    activation: Plain = "relu6"

    signature: ClassVar[str] = "B C_in H W -> B out"
    kernels: ClassVar[tuple[int, ...]] = (3,) * 7
    squeezed: ClassVar[bool] = False

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else self.C_8

    @property
    def halved(self) -> int:
        """How often the image is halved at most; where it no longer is, windows are dilated."""
        return 5

    @property
    def up(self) -> tuple[bool, ...]:
        """Whether an odd image is rounded up, each time that it is halved."""
        return (True,) * self.halved

    def decided(self) -> Mapping[Size, Expr]:
        """Return the sizes of the image after each halving."""
        return halvings(self.up)

    def stage(self, number: int, C_in: Expr, at: int, dilation: int) -> Component:
        """Return a stage that may halve the image, ``at`` times halved and dilated before."""
        C, L = getattr(self, f"C_{number}"), getattr(self, f"L_{number}")
        kernel, stride = Integer(self.kernels[number - 1]), STRIDES[number - 1]
        halves, further = (stride, 1) if at < self.halved else (1, stride)
        places = (H_i[at + halves - 2], W_i[at + halves - 2])

        def block(C_in: Expr, stride: int, dilation: int) -> Component:
            return InvertedResidual(
                C_in, C, kernel, Integer(stride), SIX if number > 1 else ONE, *places, number > 1,
                self.squeezed, self.activation, self.activation, Integer(dilation),
                stride == 1 or self.up[at],
            )  # fmt: skip

        first = block(C_in, halves, dilation)
        return Stage(first, block(C, 1, dilation * further), L, C_in, C, *places)

    def through(self, x: Tensor) -> dict[str, Tensor]:
        """Return what leaves the stem and each stage, by name."""
        stem = ConvolutionUnit(
            self.C_in, self.C, Integer(3), Integer(2), ONE, H_i[0], W_i[0], self.activation, ONE,
            self.up[0],
        )  # fmt: skip
        x, at, dilation = stem(x, name="stem"), 1, 1
        named = {"x_0": x}
        for number, stride in enumerate(STRIDES, start=1):
            stage = self.stage(number, x.shape[1], at, dilation)
            x = named[f"x_{number}"] = stage(x, name=f"stage_{number}")
            if at < self.halved:
                at += stride - 1
            else:
                dilation *= stride
        return named

    def last(self, x: Tensor) -> Tensor:
        """Map the channels of the last stage to C_8."""
        H, W = x.shape[2:]
        last = ConvolutionUnit(self.C_7, self.C_8, ONE, ONE, ONE, H, W, self.activation)
        return last(x, name="last")

    def forward(self, x: Tensor) -> Steps:
        named = self.through(x)
        x = self.last(named["x_7"])
        pooled = averaged(x)
        if not self.head:
            return steps(**named, features=x, pooled=pooled)
        logits = Linear(self.C_8, self.Y)(pooled, name="head")
        return steps(**named, features=x, pooled=pooled, logits=logits)


@dataclass(frozen=True)
class MobileNetV2(InvertedStages):
    """An image classifier of inverted residual blocks, all six times as wide inside but the first.

    A stem of C channels halves the image, L_1 … L_7 blocks of C_1 … C_7 channels halve it four
    times more, C_8 channels are averaged and classified; without ``head`` the mean is the result.
    An image that has become ``output_stride`` times smaller stays as it is, and windows are
    dilated instead. Where every place is ``segmented``, C_8 channels are computed and left idle.
    Source: Sandler et al. (2018), sections 4 and 6.3, and table 2.
    """

    output_stride: Annotated[Literal["32", "16", "8", "4", "2"], Seldom()] = "32"
    segmented: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B C_in H W -> ... out"
    title: ClassVar[str] = "image classifier of inverted residual blocks"
    assumptions: ClassVar[dict[Size, Expr]] = halves(5)
    references: ClassVar[tuple[str, ...]] = (f"{SANDLER}, section 4 and table 2",)

    @property
    def out(self) -> Expr:
        """The width of the result: of a map of places, how wide that is."""
        return W_i[self.halved - 1] if self.segmented else super().out

    @property
    def halved(self) -> int:
        """How often the image is halved."""
        return int(self.output_stride).bit_length() - 1

    def forward(self, x: Tensor) -> Steps:
        if not self.segmented:
            return super().forward(x)
        named = self.through(x)
        leave_idle(self.last(named["x_7"]))
        return steps(**named, logits=Segmentation(self.C_7, self.Y)(named["x_7"]))
