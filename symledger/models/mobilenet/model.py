"""MobileNetV2: seven stages of inverted residual blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain
from symledger.components.image_blocks.inverted import SANDLER, InvertedResidual
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import Stage, halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, view
from symledger.sizes import C_i, H_i, L_i, Size, W_i

STRIDES = (1, 2, 2, 2, 1, 2, 1)
SIX = Integer(6)


@dataclass(frozen=True)
class MobileNetV2(Component):
    """An image classifier of inverted residual blocks, all six times as wide inside but the first.

    A stem of C channels halves the image, L_1 … L_7 blocks of C_1 … C_7 channels halve it four
    times more, C_8 channels are averaged and classified; without ``head`` the mean is the result.
    Source: Sandler et al. (2018), section 4 and table 2.
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
    title: ClassVar[str] = "image classifier of inverted residual blocks"
    definitions: ClassVar[dict[Size, Expr]] = halvings(5)
    assumptions: ClassVar[dict[Size, Expr]] = halves(5)
    references: ClassVar[tuple[str, ...]] = (f"{SANDLER}, section 4 and table 2",)
    kernels: ClassVar[tuple[int, ...]] = (3,) * 7
    squeezed: ClassVar[bool] = False

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else self.C_8

    def stage(self, number: int, C_in: Expr, at: int) -> Component:
        """Return a stage: what it is given, and which size of the image it gives."""
        C, L = getattr(self, f"C_{number}"), getattr(self, f"L_{number}")
        kernel, stride = Integer(self.kernels[number - 1]), Integer(STRIDES[number - 1])
        places = (H_i[at], W_i[at])

        def block(C_in: Expr, stride: Expr) -> Component:
            return InvertedResidual(
                C_in, C, kernel, stride, SIX if number > 1 else ONE, *places, number > 1,
                self.squeezed, self.activation, self.activation,
            )  # fmt: skip

        return Stage(block(C_in, stride), block(C, ONE), L, C_in, C, *places)

    def forward(self, x: Tensor) -> Steps:
        stem = ConvolutionUnit(
            self.C_in, self.C, Integer(3), Integer(2), ONE, H_i[0], W_i[0], self.activation
        )
        x, at = stem(x, name="stem"), 0
        named = {"x_0": x}
        for number, stride in enumerate(STRIDES, start=1):
            at += stride - 1
            x = named[f"x_{number}"] = self.stage(number, x.shape[1], at)(x, name=f"stage_{number}")
        last = ConvolutionUnit(
            self.C_7, self.C_8, ONE, ONE, ONE, x.shape[2], x.shape[3], self.activation
        )
        x = last(x, name="last")
        pooled = view("b c one -> b (c one)", mean(view("b c h w -> b c (h w)", x)))
        if not self.head:
            return steps(**named, features=x, pooled=pooled)
        logits = Linear(self.C_8, self.Y)(pooled, name="head")
        return steps(**named, features=x, pooled=pooled, logits=logits)
