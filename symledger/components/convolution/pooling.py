"""Pooling: one number for each window of a sequence, an image or a volume."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from sympy import Expr, Integer, Piecewise, Symbol, floor, oo

from symledger import sizes
from symledger.components.convolution.windowed import (
    Windowed,
    Windowed1d,
    Windowed2d,
    Windowed3d,
    alike,
    decided,
)
from symledger.ir.region import Values
from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import argmax, maximum, mean, scatter, table, total, view
from symledger.notation.windows import positions, positions_past
from symledger.sizes import Size

GOODFELLOW = "Goodfellow, Bengio, Courville, Deep Learning (2016), section 9.3"
SUBSAMPLING = (
    "LeCun et al., Gradient-Based Learning Applied to Document Recognition (1998), section II"
)
BESIDE = {"p": Integer(0), "r": ONE}
TILES_1D: dict[Size, Expr] = {sizes.s: sizes.K, sizes.p: Integer(0), sizes.r: ONE}
"""Windows beside each other, where nothing else is said."""
TILES: dict[Size, Expr] = {
    sizes.K_w: sizes.K_h, sizes.s_h: sizes.K_h, sizes.s_w: sizes.K_w, **alike("hw", **BESIDE),
}  # fmt: skip
TILES_3D: dict[Size, Expr] = {
    sizes.K_h: sizes.K_d, sizes.K_w: sizes.K_h,
    sizes.s_d: sizes.K_d, sizes.s_h: sizes.K_h, sizes.s_w: sizes.K_w, **alike("dhw", **BESIDE),
}  # fmt: skip
SEQUENCE, IMAGE = "B C T -> B C T_o", "B C H W -> B C H_o W_o"
VOLUME = "B C D H W -> B C D_o H_o W_o"


def alone(places: str) -> str:
    """The pattern that drops the last axis, of length 1, after those of the windows."""
    return f"... {places} () -> ... {places}"


@dataclass(frozen=True, kw_only=True)
class Pool(Windowed):
    """Windows that end with the padded axis, or (``ceil``) as many as it takes to reach its end."""

    ceil: bool = False

    def decided(self) -> Mapping[Size, Expr]:
        """Return how many windows there are."""
        return decided(self.axes, positions_past if self.ceil else positions)


@dataclass(frozen=True, kw_only=True)
class MaxPool(Pool):
    """The largest element of each window; what stands outside is never it.

    Fused: kept is where it stands, an index for each result, and not the input.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 9.3.
    """

    references: ClassVar[tuple[str, ...]] = (GOODFELLOW,)

    def forward(self, x: Tensor) -> Steps:
        seen = view(self.merged, self.windows(x, -oo, self.ceil))
        return steps(place=argmax(seen), y=view(alone(self.places), maximum(seen)))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send each element of dy back to where the largest one stood."""
        B, C, *lengths = at.x.shape
        i, k = self.places, self.offsets
        tiles = (B, C, *self.numbers, self.seen)
        seen = scatter(view(f"... {i} -> ... {i} ()", dy), at.place, tiles, batch=dy.rank)
        inner = dict(zip(k.split(), self.kernel, strict=True))
        whole = view(f"... {i} ({k}) -> ... {self.opened}", seen, **inner)
        return {"x": self.overlap(whole, tuple(lengths), self.ceil)}


@dataclass(frozen=True, kw_only=True)
class AvgPool(Pool):
    """The mean of each window; in the padding stand zeros, and they count.

    What lies past the padding does not. Nothing is kept: the gradient needs no value.
    Source: LeCun et al. (1998), section II, where it is called sub-sampling.
    """

    references: ClassVar[tuple[str, ...]] = (GOODFELLOW, SUBSAMPLING)

    def forward(self, x: Tensor) -> Steps:
        seen = view(self.merged, self.windows(x, past=self.ceil))
        if not self.ceil:
            return steps(y=view(alone(self.places), mean(seen)))
        share = table("share", partial(self.share, x.shape[2:]), *self.numbers)
        return steps(y=view(alone(self.places), total(seen)) * share)

    def share(self, lengths: Shape, *places: Symbol) -> Expr:
        """One divided by how many elements the window at these places has within the padding."""
        elements = ONE
        for place, n, s in zip(places, lengths, self.slides, strict=True):
            reach = floor((n + 2 * s.padding - place * s.stride - 1) / s.dilation) + 1
            elements = elements * Piecewise((reach, reach < s.kernel), (s.kernel, True))
        return 1 / elements


@dataclass(frozen=True, kw_only=True)
class MaxPool1d(MaxPool, Windowed1d):
    """The largest element of each window along a sequence."""

    signature: ClassVar[str] = SEQUENCE
    title: ClassVar[str] = "the largest element of each window along a sequence"
    assumptions: ClassVar[dict[Size, Expr]] = TILES_1D


@dataclass(frozen=True, kw_only=True)
class MaxPool2d(MaxPool, Windowed2d):
    """The largest element of each window over an image."""

    signature: ClassVar[str] = IMAGE
    title: ClassVar[str] = "the largest element of each window"
    assumptions: ClassVar[dict[Size, Expr]] = TILES


@dataclass(frozen=True, kw_only=True)
class MaxPool3d(MaxPool, Windowed3d):
    """The largest element of each window over a volume."""

    signature: ClassVar[str] = VOLUME
    title: ClassVar[str] = "the largest element of each window over a volume"
    assumptions: ClassVar[dict[Size, Expr]] = TILES_3D


@dataclass(frozen=True, kw_only=True)
class AvgPool1d(AvgPool, Windowed1d):
    """The mean of each window along a sequence."""

    signature: ClassVar[str] = SEQUENCE
    title: ClassVar[str] = "the mean of each window along a sequence"
    assumptions: ClassVar[dict[Size, Expr]] = TILES_1D


@dataclass(frozen=True, kw_only=True)
class AvgPool2d(AvgPool, Windowed2d):
    """The mean of each window over an image."""

    signature: ClassVar[str] = IMAGE
    title: ClassVar[str] = "the mean of each window"
    assumptions: ClassVar[dict[Size, Expr]] = TILES


@dataclass(frozen=True, kw_only=True)
class AvgPool3d(AvgPool, Windowed3d):
    """The mean of each window over a volume."""

    signature: ClassVar[str] = VOLUME
    title: ClassVar[str] = "the mean of each window over a volume"
    assumptions: ClassVar[dict[Size, Expr]] = TILES_3D
