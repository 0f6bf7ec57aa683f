"""SegFormer: a pyramid of attention without positions, and a head that sorts every place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.image_blocks.units import ConvolutionUnit, centred
from symledger.components.layout.interpolation import Interpolation2d
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.pyramid import IMAGE, ROWS, WANG, Pyramid
from symledger.models.shared.stages import averaged
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import join, view

XIE = "Xie et al., SegFormer (2021)"


@dataclass(frozen=True)
class PlaceSorting(Component):
    """Maps of four images, of C channels each, as large as the first: fused, rectified, sorted.

    Source: Xie et al. (2021), section 3.2, equation 4.
    """

    C: Expr = sizes.C
    Y: Expr = sizes.Y

    signature: ClassVar[str] = "B C_1 H W, B C_2 H_2 W_2, B C_3 H_3 W_3, B C_4 H_4 W_4 -> B Y H W"
    title: ClassVar[str] = "scores of classes for each place, from four images"

    def forward(self, x_1: Tensor, x_2: Tensor, x_3: Tensor, x_4: Tensor) -> Steps:
        H, W = x_1.shape[2:]
        mapped = [
            self.mapped(x, i, H, W) for i, x in enumerate((x_1, x_2, x_3, x_4), start=1)
        ]  # fmt: skip
        both = join(mapped[::-1], axis=1)
        fused = ConvolutionUnit(4 * self.C, self.C, ONE, ONE, ONE, H, W)(both, name="fuse")
        scores = Conv2d(C_in=self.C, C_out=self.Y, G=ONE, H_o=H, W_o=W, **centred(ONE, ONE))
        return steps(fused=fused, logits=scores(fused, name="classifier"))

    def mapped(self, x: Tensor, at: int, H: Expr, W: Expr) -> Tensor:
        """Map an image to C channels, and make it as large as the first."""
        i, j = x.shape[2:]
        vectors = Linear(x.shape[1], self.C)(view(IMAGE, x), name=f"map_{at}")
        return Interpolation2d(H, W)(view(ROWS, vectors, i=i, j=j), name=f"stretched_{at}")


@dataclass(frozen=True)
class Segformer(Pyramid):
    """Stages whose networks convolve, so that no positions are needed, and a head of affine maps.

    It scores Y classes at every place of the first stage; ``classes`` scores the mean over places
    of the last one instead, ``bare`` leaves its image as it is.
    Source: Xie et al., *SegFormer* (2021), sections 3.1 and 3.2.
    """

    C: Expr = sizes.C
    head: Literal["places", "classes", "bare"] = "places"

    title: ClassVar[str] = "pyramid of attention, every place sorted by affine maps"
    references: ClassVar[tuple[str, ...]] = (f"{XIE}, sections 3.1 and 3.2", WANG)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        found = {"places": "B Y H_1 W_1", "classes": "B Y", "bare": "B C_4 H_4 W_4"}
        return f"B C_in H W -> {found[self.head]}"

    def forward(self, x: Tensor) -> Steps:
        images = self.climbed(x)
        named = {f"x_{i}": x for i, x in enumerate(images, start=1)}
        if self.head == "bare":
            return steps(**named)
        if self.head == "places":
            sorting = PlaceSorting(self.C, self.Y)
            return steps(**named, logits=sorting(*images, name="decoder"))
        pooled = averaged(images[-1])
        logits = Linear(self.C_4, self.Y)(pooled, name="head")
        return steps(**named, pooled=pooled, logits=logits)
