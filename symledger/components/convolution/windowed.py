"""Windows over sequences, images and volumes: what convolutions and poolings have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.ir.shapes import ONE, Shape, product
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component
from symledger.notation.windows import overlap, positions, windows
from symledger.sizes import Size

PLACES = {1: "t", 2: "i j", 3: "i j m"}
"""The indices of windows, by the number of axes that they slide along."""
OFFSETS = {1: "k", 2: "k l", 3: "k l n"}
"""The indices of the elements in a window."""


def square(kernel: int, stride: int = 1, padding: int = 0, dilation: int = 1) -> dict[str, Expr]:
    """Return the fields of a window that is the same down and across."""
    settings = {"K": kernel, "s": stride, "p": padding, "r": dilation}
    return {f"{name}_{axis}": Integer(n) for name, n in settings.items() for axis in "hw"}


def alike(axes: str, **first: Expr) -> dict[Size, Expr]:
    """Return equations that make windows the same along all axes, as they are along the first.

    >>> alike("hw", K=sizes.K, s=ONE)
    {K_h: K, K_w: K_h, s_h: 1, s_w: s_h}
    """
    found: dict[Size, Expr] = {}
    for name, e in first.items():
        before = e
        for axis in axes:
            symbol = sizes.BY_NAME[f"{name}_{axis}"]
            if before != symbol:
                found[symbol] = before
            before = symbol
    return found


@dataclass(frozen=True)
class Slide:
    """How a window slides along one axis: its length, and how often it fits."""

    kernel: Expr
    stride: Expr
    padding: Expr
    dilation: Expr
    number: Expr


@dataclass(frozen=True, kw_only=True)
class Windowed(Component, ABC):
    """What looks through windows, along the last axes of a tensor.

    How many windows fit decides the size of the result.
    Source: Dumoulin, Visin, *A guide to convolution arithmetic* (2016), relationship 6, and
    section 5.1 for dilation.
    """

    axes: ClassVar[dict[str, str]]
    """The lengths of the axes, and how the symbols of each end: ``{"H": "_h", "W": "_w"}``."""

    @property
    @abstractmethod
    def slides(self) -> tuple[Slide, ...]:
        """How windows slide along each axis."""

    @property
    def kernel(self) -> Shape:
        """The lengths of a window."""
        return tuple(slide.kernel for slide in self.slides)

    @property
    def numbers(self) -> Shape:
        """How many windows there are along each axis."""
        return tuple(slide.number for slide in self.slides)

    @property
    def seen(self) -> Expr:
        """How many elements a window shows."""
        return product(self.kernel)

    @property
    def places(self) -> str:
        """The indices of windows, as they stand in patterns: ``i j``."""
        return PLACES[len(self.slides)]

    @property
    def offsets(self) -> str:
        """The indices of elements in a window, as they stand in patterns: ``k l``."""
        return OFFSETS[len(self.slides)]

    @property
    def opened(self) -> str:
        """Both, each axis of windows before that of its elements: ``i k j l``."""
        pairs = zip(self.places.split(), self.offsets.split(), strict=True)
        return " ".join(f"{place} {offset}" for place, offset in pairs)

    @property
    def merged(self) -> str:
        """The pattern that puts all elements of a window side by side."""
        return f"... {self.opened} -> ... {self.places} ({self.offsets})"

    def decided(self) -> Mapping[Size, Expr]:
        """Return how many windows there are along each axis."""
        return decided(self.axes)

    def windows(
        self, x: Tensor, fill: Expr | int = 0, past: bool = False, padded: bool = False
    ) -> Tensor:
        """See the last axes of x through windows: … H W becomes … H_o K_h W_o K_w.

        Where x is ``padded`` already, they start at its first element.
        """
        for i, s in enumerate(self.slides):
            axis, around = i - len(self.slides), 0 if padded else s.padding
            x = windows(x, axis, s.number, s.kernel, s.stride, around, s.dilation, fill, past)
        return x

    def overlap(self, x: Tensor, lengths: Shape, past: bool = False) -> Tensor:
        """Lay windows … i k j l back over axes of these lengths, added."""
        for i, (s, length) in enumerate(zip(self.slides[::-1], lengths[::-1], strict=True)):
            x = overlap(x, -2 - i, length, s.stride, s.padding, s.dilation, past)
        return x


def decided(axes: dict[str, str], number: Callable[..., Expr] = positions) -> dict[Size, Expr]:
    """Return how many windows there are along axes, by their lengths and their endings.

    >>> decided({"T": ""})
    {T_o: floor((T + 2*p - r*(K - 1) - 1)/s) + 1}
    """
    found = {}
    for length, ending in axes.items():
        how = (sizes.BY_NAME[x] for x in (length, *(f"{letter}{ending}" for letter in "Kspr")))
        found[sizes.BY_NAME[f"{length}_o"]] = number(*how)
    return found


@dataclass(frozen=True, kw_only=True)
class Windowed1d(Windowed):
    """Windows along a sequence."""

    K: Expr = sizes.K
    s: Expr = sizes.s
    p: Expr = sizes.p
    r: Expr = sizes.r
    T_o: Expr = sizes.T_o

    axes: ClassVar[dict[str, str]] = {"T": ""}

    @property
    def slides(self) -> tuple[Slide, ...]:
        """Along the sequence."""
        return (Slide(self.K, self.s, self.p, self.r, self.T_o),)


@dataclass(frozen=True, kw_only=True)
class Windowed2d(Windowed):
    """Windows over an image."""

    K_h: Expr = sizes.K_h
    K_w: Expr = sizes.K_w
    s_h: Expr = sizes.s_h
    s_w: Expr = sizes.s_w
    p_h: Expr = sizes.p_h
    p_w: Expr = sizes.p_w
    r_h: Expr = sizes.r_h
    r_w: Expr = sizes.r_w
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o

    axes: ClassVar[dict[str, str]] = {"H": "_h", "W": "_w"}

    @property
    def slides(self) -> tuple[Slide, ...]:
        """Down and across."""
        return (
            Slide(self.K_h, self.s_h, self.p_h, self.r_h, self.H_o),
            Slide(self.K_w, self.s_w, self.p_w, self.r_w, self.W_o),
        )


@dataclass(frozen=True, kw_only=True)
class Windowed3d(Windowed2d):
    """Windows over a volume, or over the frames of a clip."""

    K_d: Expr = sizes.K_d
    s_d: Expr = sizes.s_d
    p_d: Expr = sizes.p_d
    r_d: Expr = sizes.r_d
    D_o: Expr = sizes.D_o

    axes: ClassVar[dict[str, str]] = {"D": "_d", **Windowed2d.axes}

    @property
    def slides(self) -> tuple[Slide, ...]:
        """In depth, down and across."""
        depth = Slide(self.K_d, self.s_d, self.p_d, self.r_d, self.D_o)
        return (depth, *super().slides)


ONCE = {"s": ONE, "p": Integer(0), "r": ONE}
"""Windows one apart, without padding and dilation."""
