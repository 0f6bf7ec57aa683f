"""What only shows the same elements under other indices: nothing is learned, computed or kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, view

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
class Unflatten(Component):
    """Numbers in a row as an image again."""

    C: Expr = sizes.C
    H: Expr = sizes.H
    W: Expr = sizes.W

    signature: ClassVar[str] = "B (C H W) -> B C H W"
    title: ClassVar[str] = "numbers in a row as an image again"
    references: ClassVar[tuple[str, ...]] = ("PyTorch 2.13, torch.nn.Unflatten",)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view("b (c h w) -> b c h w", x, c=self.C, h=self.H, w=self.W))


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



@dataclass(frozen=True)
class PixelUnshuffle(Component):
    """Every u × u pixels of an image as u² channels, what PixelShuffle undoes.

    Source: Shi et al. (2016), section 3.2, equation 4, backwards.
    """

    H: Expr = sizes.H
    W: Expr = sizes.W
    u: Expr = sizes.u

    signature: ClassVar[str] = "B C (H u) (W u) -> B channels H W"
    title: ClassVar[str] = "the pixels of an image laid out as channels of a smaller one"
    references: ClassVar[tuple[str, ...]] = (SHI,)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view("b c (h k) (w l) -> b (c k l) h w", x, k=self.u, l=self.u))


@dataclass(frozen=True)
class ChannelShuffle(Component):
    """Channels taken from each of G groups in turn; a group has C of them.

    Source: Zhang et al., *ShuffleNet* (2018), section 3.1.
    """

    G: Expr = sizes.G
    C: Expr = sizes.C

    signature: ClassVar[str] = "B (G C) H W -> B (C G) H W"
    title: ClassVar[str] = "channels taken from each group in turn"
    references: ClassVar[tuple[str, ...]] = ("Zhang et al., ShuffleNet (2018), section 3.1",)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view("b (g c) h w -> b (c g) h w", x, g=self.G))


@dataclass(frozen=True)
class Upsample(Component):
    """Each pixel as u × u pixels that are the same; nothing is kept.

    Source: Odena, Dumoulin, Olah, *Deconvolution and Checkerboard Artifacts* (2016), resize by
    nearest neighbours.
    """

    u: Expr = sizes.u

    signature: ClassVar[str] = "B C H W -> B C height width"
    title: ClassVar[str] = "every pixel as several that are the same"
    references: ClassVar[tuple[str, ...]] = (
        "Odena, Dumoulin, Olah, Deconvolution and Checkerboard Artifacts (2016)",
    )

    def forward(self, x: Tensor) -> Steps:
        B, C, H, W = x.shape
        copies = expand(view("b c h w -> b c h () w ()", x), (B, C, H, self.u, W, self.u))
        return steps(y=view("b c h k w l -> b c (h k) (w l)", copies))
