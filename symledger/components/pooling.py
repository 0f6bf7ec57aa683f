"""Pooling: one number for each window of an image, its largest or its mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, oo

from symledger import sizes
from symledger.components.windowed import Windowed
from symledger.core.component import Component, Steps, steps
from symledger.core.fused import Values
from symledger.core.notation import argmax, maximum, mean, scatter, view
from symledger.core.tensor import ONE, Tensor
from symledger.sizes import Size

GOODFELLOW = "Goodfellow, Bengio, Courville, Deep Learning (2016), section 9.3"
MERGED = "... i k j l -> ... i j (k l)"
TILES: dict[Size, Expr] = {
    sizes.K_w: sizes.K_h, sizes.s_h: sizes.K_h, sizes.s_w: sizes.K_w, sizes.p_h: Integer(0),
    sizes.p_w: sizes.p_h, sizes.r_h: ONE, sizes.r_w: sizes.r_h,
}  # fmt: skip
"""Square windows beside each other, where nothing else is said."""


@dataclass(frozen=True, kw_only=True)
class MaxPool2d(Windowed):
    """The largest element of each window; what stands outside the image is never it.

    Fused: kept is where it stands, an index for each result, and not the input.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 9.3.
    """

    signature: ClassVar[str] = "B C H W -> B C H_o W_o"
    title: ClassVar[str] = "the largest element of each window"
    assumptions: ClassVar[dict[Size, Expr]] = TILES
    references: ClassVar[tuple[str, ...]] = (GOODFELLOW,)

    def forward(self, x: Tensor) -> Steps:
        seen = view(MERGED, self.windows(x, fill=-oo))
        return steps(place=argmax(seen), y=view("... i j () -> ... i j", maximum(seen)))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send each element of dy back to where the largest one stood."""
        B, C, H, W = at.x.shape
        tiles = (B, C, self.H_o, self.W_o, self.K_h * self.K_w)
        seen = scatter(view("... i j -> ... i j ()", dy), at.place, tiles, batch=4)
        whole = view("... i j (k l) -> ... i k j l", seen, k=self.K_h, l=self.K_w)
        return {"x": self.overlap(whole, H, W)}


@dataclass(frozen=True, kw_only=True)
class AvgPool2d(Windowed):
    """The mean of each window; outside the image stand zeros, and they count.

    Nothing is kept: the gradient needs no value.
    Source: LeCun et al. (1998), section II.B, where it is called sub-sampling.
    """

    signature: ClassVar[str] = "B C H W -> B C H_o W_o"
    title: ClassVar[str] = "the mean of each window"
    assumptions: ClassVar[dict[Size, Expr]] = TILES
    references: ClassVar[tuple[str, ...]] = (
        GOODFELLOW, "LeCun et al., Gradient-Based Learning Applied to Document Recognition (1998), "
        "section II.B",
    )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        seen = view(MERGED, self.windows(x))
        return steps(y=view("... i j () -> ... i j", mean(seen)))


@dataclass(frozen=True)
class AdaptiveAvgPool2d(Component):
    """The mean of each of H_o × W_o equal tiles, whatever the size of the image.

    The image must divide into them: tiles of unequal size, which overlap, are not defined here.
    Source: Lin, Chen, Yan, *Network In Network* (2014), section 3.2, for one tile.
    """

    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o

    signature: ClassVar[str] = "B C H W -> B C H_o W_o"
    title: ClassVar[str] = "the mean of each of so many equal tiles"
    references: ClassVar[tuple[str, ...]] = (
        "Lin, Chen, Yan, Network In Network (2014), section 3.2",
    )

    def forward(self, x: Tensor) -> Steps:
        tiles = view("b c (i k) (j l) -> b c i k j l", x, i=self.H_o, j=self.W_o)
        return steps(y=view("... i j () -> ... i j", mean(view(MERGED, tiles))))
