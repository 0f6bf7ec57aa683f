"""What only shows the same elements under other indices: nothing is learned, computed or kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import view
from symledger.core.tensor import Tensor

SHI = "Shi et al., Real-Time Single Image and Video Super-Resolution (2016), equation 4"


@dataclass(frozen=True)
class Identity(Component):
    """What enters, as it is."""

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "what enters, as it is"
    references: ClassVar[tuple[str, ...]] = ("PyTorch 2.13, torch.nn.Identity",)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view("... n -> ... n", x))


@dataclass(frozen=True)
class Flatten(Component):
    """All numbers of an image in one row."""

    signature: ClassVar[str] = "B C H W -> B n"
    title: ClassVar[str] = "all numbers of an image in one row"
    references: ClassVar[tuple[str, ...]] = ("PyTorch 2.13, torch.nn.Flatten",)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view("b c h w -> b (c h w)", x))


@dataclass(frozen=True)
class PixelShuffle(Component):
    """Of u² channels one that is u times as high and as wide.

    Source: Shi et al. (2016), section 3.2, equation 4.
    """

    C: Expr = sizes.C
    u: Expr = sizes.u

    signature: ClassVar[str] = "B (C u u) H W -> B C height width"
    title: ClassVar[str] = "channels laid out as the pixels of a larger image"
    references: ClassVar[tuple[str, ...]] = (SHI,)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view("b (c k l) h w -> b c (h k) (w l)", x, c=self.C, k=self.u, l=self.u))

