"""MobileNetV1: windows of each channel by itself, then maps of all channels of each place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import Stage, averaged, halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.sizes import C_i, H_i, L_i, Size, W_i

HOWARD = "Howard et al., MobileNets (2017)"
THREE, TWO = Integer(3), Integer(2)
STAGES = range(5)


@dataclass(frozen=True)
class Separated(Component):
    """A window of 3 × 3 of each channel, then a map of all channels; a norm behind each.

    Source: Howard et al., *MobileNets* (2017), section 3.1 and figure 3, right.
    """

    C_in: Expr
    C_out: Expr
    s: Expr
    H_o: Expr
    W_o: Expr
    activation: Plain

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "a convolution in two: of places, and of channels"

    def forward(self, x: Tensor) -> Steps:
        C, place = self.C_in, (self.H_o, self.W_o, self.activation)
        seen = ConvolutionUnit(C, C, THREE, self.s, C, *place)(x, name="depthwise")
        return steps(y=ConvolutionUnit(C, self.C_out, ONE, ONE, ONE, *place)(seen, name="mapped"))


@dataclass(frozen=True)
class MobileNetV1(Component):
    """An image classifier of convolutions in two, which halve an image five times.

    A stem of C channels halves it first; L_1 to L_5 pairs see it at five sizes. Without ``head``
    the mean over places is the result.
    Source: Howard et al., *MobileNets* (2017), table 1.
    """

    C_in: Expr = sizes.C_in
    C: Expr = sizes.C
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    C_5: Expr = C_i[4]
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    L_5: Expr = L_i[4]
    Y: Expr = sizes.Y
    head: bool = True
    activation: Plain = "relu6"

    signature: ClassVar[str] = "B C_in H W -> B out"
    title: ClassVar[str] = "image classifier of convolutions in two, of places and of channels"
    definitions: ClassVar[dict[Size, Expr]] = halvings((True,) * 5)
    assumptions: ClassVar[dict[Size, Expr]] = {
        **halves(5), **{C_i[i]: 2 ** (i + 1) * sizes.C for i in STAGES},
        L_i[0]: ONE, L_i[1]: TWO, L_i[2]: TWO, L_i[3]: Integer(6), L_i[4]: TWO,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{HOWARD}, section 3 and table 1",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else self.C_5

    def forward(self, x: Tensor) -> Steps:
        stem = ConvolutionUnit(self.C_in, self.C, THREE, TWO, ONE, H_i[0], W_i[0], self.activation)
        x, before, named = stem(x, name="stem"), self.C, {}
        widths = (self.C_1, self.C_2, self.C_3, self.C_4, self.C_5)
        depths = (self.L_1, self.L_2, self.L_3, self.L_4, self.L_5)
        for i, (C, L) in enumerate(zip(widths, depths, strict=True)):
            at = (H_i[i], W_i[i])
            first = Separated(before, C, TWO if i else ONE, *at, self.activation)
            further = Separated(C, C, ONE, *at, self.activation)
            stage = Stage(first, further, L, before, C, *at)
            x = named[f"x_{i + 1}"] = stage(x, name=f"stage_{i + 1}")
            before = C
        pooled = averaged(x)
        if not self.head:
            return steps(**named, pooled=pooled)
        logits = Linear(self.C_5, self.Y)(pooled, name="head")
        return steps(**named, pooled=pooled, logits=logits)
