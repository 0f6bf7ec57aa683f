"""ResNet, ResNeXt and wide ResNet: four stages of residual blocks, each halving the image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.pooling import AvgPool2d, MaxPool2d
from symledger.components.convolution.windowed import square
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.image_blocks.residual import (
    HE,
    XIE,
    BasicBlock,
    Bottleneck,
    ResidualBlock,
)
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.detection import FixedUnit
from symledger.models.shared.stages import Stage, halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, view
from symledger.sizes import C_i, H_i, L_i, Size, W_i

TWO = Integer(2)
BAG = "He et al., Bag of Tricks for Image Classification with CNNs (2019), section 4.2"


@dataclass(frozen=True)
class ResNet(Component):
    """An image classifier of residual blocks.

    A stem quarters the image, L_1 … L_4 blocks see it at four sizes, and the mean over places is
    classified. A ``bottleneck`` of stage i is C_g·G·C_i/C_1 channels wide inside: C_g = C_1/4 in
    one group is ResNet, C_g = 4 in G = 32 groups ResNeXt. ``widened`` and ``halved`` are about
    the first stage: whether it has other channels than the stem, and whether it halves the image.
    Without ``head`` the mean is the result.
    Source: He et al. (2016), table 1; Xie et al. (2017), table 1; Zagoruyko, Komodakis, *Wide
    Residual Networks* (2016).
    """

    C_in: Expr = sizes.C_in
    C: Expr = sizes.C
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    C_g: Expr = sizes.C_g
    G: Expr = sizes.G
    Y: Expr = sizes.Y
    bottleneck: bool = True
    widened: bool = True
    halved: bool = False
    early: bool = False
    activation: Plain = "relu"
    head: bool = True

    units: ClassVar[type[ConvolutionUnit]] = ConvolutionUnit
    basic: ClassVar[type[BasicBlock]] = BasicBlock
    narrowed: ClassVar[type[Bottleneck]] = Bottleneck
    signature: ClassVar[str] = "B C_in H W -> B out"
    title: ClassVar[str] = "image classifier of four stages of residual blocks"
    definitions: ClassVar[dict[Size, Expr]] = halvings((True,) * 6)
    assumptions: ClassVar[dict[Size, Expr]] = {
        **halves(6), C_i[1]: 2 * C_i[0], C_i[2]: 4 * C_i[0], C_i[3]: 8 * C_i[0],
        sizes.G: ONE, sizes.C_g: C_i[0] / 4,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        f"{HE}, table 1", XIE, "Zagoruyko, Komodakis, Wide Residual Networks (2016), table 1",
    )  # fmt: skip

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else self.C_4

    def block(self, C_in: Expr, C_out: Expr, s: Expr, at: int) -> Component:
        """Return a block: from which channels to which, and at which size of the image."""
        shape = (C_in, C_out, s, H_i[at - 1], W_i[at - 1], self.activation)
        if not self.bottleneck:
            return self.basic(*shape)
        inner = self.C_g * self.G * C_out / self.C_1
        return self.narrowed(*shape, C=inner, G=self.G, early=self.early)

    def stem(self, x: Tensor) -> Tensor:
        """Quarter the image: a convolution of 7 × 7, then the maxima of tiles that overlap."""
        C = self.C if self.widened else self.C_1
        unit = self.units(self.C_in, C, Integer(7), TWO, ONE, H_i[0], W_i[0], self.activation)
        pool = MaxPool2d(H_o=H_i[1], W_o=W_i[1], **square(3, stride=2, padding=1))
        return pool(unit(x, name="stem"), name="pool")

    def stages(self) -> Iterator[Component]:
        """Yield the stages, in order."""
        before, at = self.C if self.widened else self.C_1, 2
        widths = (self.C_1, self.C_2, self.C_3, self.C_4)
        depths = (self.L_1, self.L_2, self.L_3, self.L_4)
        for i, (C, L) in enumerate(zip(widths, depths, strict=True)):
            halved = i > 0 or self.halved
            at += halved
            first = self.block(before, C, TWO if halved else ONE, at)
            yield Stage(first, self.block(C, C, ONE, at), L, before, C, H_i[at - 1], W_i[at - 1])
            before = C

    def forward(self, x: Tensor) -> Steps:
        x = self.stem(x)
        named = {"x_0": x}
        for i, stage in enumerate(self.stages(), start=1):
            x = named[f"x_{i}"] = stage(x, name=f"stage_{i}")
        pooled = view("b c one -> b (c one)", mean(view("b c h w -> b c (h w)", x)))
        if not self.head:
            return steps(**named, pooled=pooled)
        logits = Linear(self.C_4, self.Y)(pooled, name="head")
        return steps(**named, pooled=pooled, logits=logits)


@dataclass(frozen=True)
class Averaged(ResidualBlock):
    """A block beside whose convolutions an image is averaged before it is mapped, if it is halved.

    Where it is ``mapped`` it is so although its shape stays.
    Source: He et al., *Bag of Tricks for Image Classification with CNNs* (2019), section 4.2.
    """

    mapped: bool = False

    units: ClassVar[type[ConvolutionUnit]] = FixedUnit

    def forward(self, x: Tensor) -> Steps:
        added = self.inner(x)
        same = x.shape == added.shape and not self.mapped
        return steps(added=added, y=act(self.activation, added + (x if same else self.beside(x))))

    def beside(self, x: Tensor) -> Tensor:
        """Return the image as it is added: averaged if it is halved, and mapped."""
        if self.s != TWO:
            return self.unit(x, "shortcut", self.C_out, ONE)
        tiles = AvgPool2d(H_o=self.H_o, W_o=self.W_o, ceil=True, **square(2, stride=2))
        return self.unit(tiles(x, name="pool"), "averaged", self.C_out, ONE)


@dataclass(frozen=True)
class AveragedBasic(Averaged, BasicBlock):
    """Two convolutions of 3 × 3 beside a mean.

    Source: He et al. (2019), section 4.2.
    """


@dataclass(frozen=True)
class AveragedBottleneck(Averaged, Bottleneck):
    """A convolution of few channels between two pointwise ones, beside a mean.

    Source: He et al. (2019), section 4.2.
    """


@dataclass(frozen=True)
class ResNetD(ResNet):
    """A residual network that gives what its last three stages see, its norms fixed.

    Source: He et al. (2019), section 4.2; Zhao et al. (2024), section 4.1.
    """

    units: ClassVar[type[ConvolutionUnit]] = FixedUnit
    title: ClassVar[str] = "residual network whose last three stages are read"
    signature: ClassVar[str] = "B C_in H W -> B C_2 H_3 W_3, B C_3 H_4 W_4, B C_4 H_5 W_5"

    @property
    def begun(self) -> Expr:
        """How many channels an image has before the first stage."""
        return self.C if self.widened else self.C_1

    def stem(self, x: Tensor) -> Tensor:
        C, H, W = self.begun, H_i[0], W_i[0]
        for i, (before, after, s) in enumerate(
            ((self.C_in, C / 2, TWO), (C / 2, C / 2, ONE), (C / 2, C, ONE)), start=1
        ):
            small = self.units(before, after, Integer(3), s, ONE, H, W, self.activation)
            x = small(x, name=f"stem_{i}")
        pool = MaxPool2d(H_o=H_i[1], W_o=W_i[1], **square(3, stride=2, padding=1))
        return pool(x, name="pool")

    def made(self, C_in: Expr, C_out: Expr, s: Expr, at: int, mapped: bool) -> Component:
        """Return a block, with a map beside it though its shape may stay."""
        shape = (C_in, C_out, s, H_i[at], W_i[at], self.activation)
        if not self.bottleneck:
            return AveragedBasic(*shape, mapped=mapped)
        return AveragedBottleneck(*shape, C=C_out / 4, G=ONE, early=self.early)

    def stages(self) -> Iterator[Component]:
        before = self.begun
        widths = (self.C_1, self.C_2, self.C_3, self.C_4)
        depths = (self.L_1, self.L_2, self.L_3, self.L_4)
        for i, (C, L) in enumerate(zip(widths, depths, strict=True), start=1):
            first = self.made(before, C, TWO if i > 1 else ONE, i, mapped=not self.bottleneck)
            further = self.made(C, C, ONE, i, mapped=False)
            yield Stage(first, further, L, before, C, H_i[i], W_i[i])
            before = C

    def forward(self, x: Tensor) -> Steps:
        x, named = self.stem(x), {}
        for i, stage in enumerate(self.stages(), start=1):
            x = named[f"x_{i}"] = stage(x, name=f"stage_{i}")
        return steps(**named)
