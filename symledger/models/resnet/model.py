"""ResNet, ResNeXt and wide ResNet: four stages of residual blocks, each halving the image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.pooling import MaxPool2d
from symledger.components.convolution.windowed import square
from symledger.components.feed_forward.nonlinearities import Plain
from symledger.components.image_blocks.residual import HE, XIE, BasicBlock, Bottleneck
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import Stage, halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, view
from symledger.sizes import C_i, H_i, L_i, Size, W_i

TWO = Integer(2)


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
