"""RegNet: four stages of blocks that are as wide inside as outside, their channels in groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, Seldom, act
from symledger.components.image_blocks.inverted import SqueezeExcitation
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import Stage, averaged, halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.sizes import C_i, C_si, G_i, H_i, L_i, Size, W_i

RADOSAVOVIC = "Radosavovic et al., Designing Network Design Spaces (2020)"
TWO, THREE = Integer(2), Integer(3)
STAGES = range(4)


@dataclass(frozen=True)
class GroupedBlock(Component):
    """A convolution of 3 × 3 in G groups between two pointwise ones, beside the image.

    It may halve the image, which goes through a pointwise one then, as where channels change. Where
    it is ``squeezed`` channels are scaled by way of C_s numbers before the last convolution.
    Source: Radosavovic et al. (2020), section 3.2 and figure 4; section 5.4 for squeezing.
    """

    C_in: Expr
    C_out: Expr
    s: Expr
    G: Expr
    C_s: Expr
    H_o: Expr
    W_o: Expr
    squeezed: bool
    activation: Plain

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "a grouped 3 × 3 convolution between two pointwise ones"

    def forward(self, x: Tensor) -> Steps:
        C, (H, W), smaller = self.C_out, x.shape[2:], (self.H_o, self.W_o)
        shown = ConvolutionUnit(self.C_in, C, ONE, ONE, ONE, H, W, self.activation)
        u = shown(x, name="first")
        middle = ConvolutionUnit(C, C, THREE, self.s, self.G, *smaller, self.activation)
        u = middle(u, name="grouped")
        if self.squeezed:
            u = SqueezeExcitation(C, self.C_s, "relu")(u, name="squeeze_excitation")
        added = ConvolutionUnit(C, C, ONE, ONE, ONE, *smaller, "none")(u, name="last")
        if x.shape != added.shape:
            shortcut = ConvolutionUnit(self.C_in, C, ONE, self.s, ONE, *smaller, "none")
            x = shortcut(x, name="shortcut")
        return steps(added=added, y=act(self.activation, added + x))


@dataclass(frozen=True)
class RegNet(Component):
    """An image classifier of four stages of blocks that are nowhere narrower inside.

    A stem halves the image, and so does each stage, the first unless it is not to be ``halved``.
    Blocks are ``squeezed`` in Y models, and are not in X models. ``widened`` says whether the first
    stage has other channels than the stem. The mean over places is classified; without ``head`` it
    is the result.
    Source: Radosavovic et al., *Designing Network Design Spaces* (2020), sections 3.2 and 5.4.
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
    G_1: Expr = G_i[0]
    G_2: Expr = G_i[1]
    G_3: Expr = G_i[2]
    G_4: Expr = G_i[3]
    C_s0: Expr = C_si[0]
    C_s1: Expr = C_si[1]
    C_s2: Expr = C_si[2]
    C_s3: Expr = C_si[3]
    C_s4: Expr = C_si[4]
    Y: Expr = sizes.Y
    squeezed: bool = True
    head: bool = True
    halved: Annotated[bool, Seldom()] = True
    widened: Annotated[bool, Seldom()] = True
    activation: Plain = "relu"

    signature: ClassVar[str] = "B C_in H W -> B out"
    title: ClassVar[str] = "image classifier of grouped convolutions, as wide inside as outside"
    definitions: ClassVar[dict[Size, Expr]] = halvings((True,) * 5)
    assumptions: ClassVar[dict[Size, Expr]] = {
        **halves(5),
        **{G_i[i]: G_i[0] * C_i[i] / C_i[0] for i in STAGES[1:]},
        **{C_si[i]: C / 4 for i, C in enumerate((sizes.C, *C_i[:4]))},
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{RADOSAVOVIC}, sections 3.2 and 5.4",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else self.C_4

    def stages(self, name: str) -> tuple[Expr, ...]:
        """Return the sizes of that letter, one for each stage."""
        return tuple(getattr(self, f"{name}{i}") for i in range(1, 5))

    def forward(self, x: Tensor) -> Steps:
        C = self.C if self.widened else self.C_1
        stem = ConvolutionUnit(self.C_in, C, THREE, TWO, ONE, H_i[0], W_i[0], self.activation)
        x = stem(x, name="stem")
        named, at, squeezing = {"x_0": x}, 0, self.C_s0
        sizes_of = (self.stages(name) for name in ("C_", "L_", "G_", "C_s"))
        for i, (C, L, G, C_s) in enumerate(zip(*sizes_of, strict=True)):
            halved = i > 0 or self.halved
            at += halved
            same = (G, H_i[at], W_i[at])
            first = self.block(x.shape[1], C, TWO if halved else ONE, squeezing, *same)
            further = self.block(C, C, ONE, C_s, *same)
            stage = Stage(first, further, L, x.shape[1], C, *same[1:])
            x = named[f"x_{i + 1}"] = stage(x, name=f"stage_{i + 1}")
            squeezing = C_s
        pooled = averaged(x)
        if not self.head:
            return steps(**named, pooled=pooled)
        return steps(**named, pooled=pooled, logits=Linear(self.C_4, self.Y)(pooled, name="head"))

    def block(
        self, C_in: Expr, C_out: Expr, s: Expr, C_s: Expr, G: Expr, H: Expr, W: Expr
    ) -> Component:  # fmt: skip
        """Return a block: from which channels to which, and at which size of the image."""
        return GroupedBlock(C_in, C_out, s, G, C_s, H, W, self.squeezed, self.activation)
