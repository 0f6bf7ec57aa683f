"""A sequence, an image or a volume of another size: of the nearest elements, or between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from sympy import Expr, Piecewise, Rational, Symbol, floor

from symledger import sizes
from symledger.components.convolution.pooling import IMAGE, SEQUENCE, VOLUME
from symledger.ir.shapes import Shape
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import gather, table, take, view

PYTORCH = "PyTorch 2.13, torch.nn.Upsample"
HALF = Rational(1, 2)
BENT = Rational(-3, 4)
"""The slope of the weight of an element at a distance of one, of those that bend."""
Formula = Callable[..., Expr]
Neighbours = tuple[tuple[Formula, Formula], ...]


def place(n: Expr, length: Expr, i: Symbol) -> Expr:
    """Where an element of the result stands among the n that there are: middles of equal parts."""
    return (2 * i + 1) * n / (2 * length) - HALF


def before(n: Expr, length: Expr, i: Symbol) -> Expr:
    """The last element that does not stand after that place, or the first of all."""
    at = place(n, length, i)
    return Piecewise((floor(at), at > 0), (0, True))


def after(n: Expr, length: Expr, i: Symbol) -> Expr:
    """The element that follows, or the last of all; before the middle of the first, that one."""
    at = place(n, length, i)
    return Piecewise((0, at < 0), (floor(at) + 1, at < n - 1), (n - 1, True))


def share(n: Expr, length: Expr, i: Symbol) -> Expr:
    """How much of the way to the element that follows has been gone."""
    at = place(n, length, i)
    return Piecewise((at - floor(at), at > 0), (0, True))


def left(n: Expr, length: Expr, i: Symbol) -> Expr:
    """How much of that way is left."""
    return 1 - share(n, length, i)


def around(steps: int, n: Expr, length: Expr, i: Symbol) -> Expr:
    """The element so many steps behind the last one before that place, or one of the ends."""
    at = floor(place(n, length, i)) + steps
    return Piecewise((0, at < 0), (n - 1, at > n - 1), (at, True))


def cubic(steps: int, n: Expr, length: Expr, i: Symbol) -> Expr:
    """The weight of that element: a cubic polynomial of how far away it is."""
    at = place(n, length, i)
    far = at - floor(at) - steps if steps <= 0 else steps - at + floor(at)
    if steps in (0, 1):
        return (BENT + 2) * far**3 - (BENT + 3) * far**2 + 1
    return BENT * (far**3 - 5 * far**2 + 8 * far - 4)


LINEAR: Neighbours = ((before, left), (after, share))
CUBIC: Neighbours = tuple((partial(around, k), partial(cubic, k)) for k in (-1, 0, 1, 2))
"""Which elements an element of the result is made of, and with which weights."""


def stretched(x: Tensor, axis: int, length: Expr, neighbours: Neighbours) -> Tensor:
    """Return a tensor with another length of an axis, which is counted from the end."""
    n = x.shape[axis]

    def weighed(number: int) -> Tensor:
        where, much = (partial(formula, n, length) for formula in neighbours[number])
        index = table(f"p_{number}", where, length, storage="index")
        weight = table(f"q_{number}", much, length)
        return take(x, axis, index) * view("i -> i" + " ()" * (-1 - axis), weight)

    y = weighed(0)
    for number in range(1, len(neighbours)):
        y = y + weighed(number)
    return y


@dataclass(frozen=True)
class Nearest2d(Component):
    """An image of another size, each pixel that of the nearest one; nothing is kept.

    Source: PyTorch 2.13, torch.nn.Upsample, for which one is.
    """

    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o

    signature: ClassVar[str] = IMAGE
    title: ClassVar[str] = "an image of another size, each pixel that of the nearest one"
    references: ClassVar[tuple[str, ...]] = (PYTORCH,)

    def forward(self, x: Tensor) -> Steps:
        H, W = x.shape[2:]

        def nearest(i: Symbol, j: Symbol) -> Expr:
            return W * floor(i * H / self.H_o) + floor(j * W / self.W_o)

        index = table("nearest", nearest, self.H_o, self.W_o, storage="index")
        rows = gather(view("b c h w -> (h w) b c", x), index)
        return steps(y=view("i j b c -> b c i j", rows))


@dataclass(frozen=True)
class Interpolation(Component, ABC):
    """Every element a weighted mean of its neighbours, one axis after the other.

    Their weights are known beforehand, so that nothing is kept. Where the corners of both are laid
    upon each other (``align_corners``), the weights are other ones, and as many.
    Source: PyTorch 2.13, torch.nn.Upsample, for where elements stand.
    """

    references: ClassVar[tuple[str, ...]] = (PYTORCH,)

    @property
    @abstractmethod
    def lengths(self) -> Shape:
        """How long each axis becomes."""

    def forward(self, x: Tensor) -> Steps:
        for i, length in enumerate(self.lengths):
            x = stretched(x, i - len(self.lengths), length, self.neighbours)
        return steps(y=x)

    @property
    def neighbours(self) -> Neighbours:
        """What each element is made of, along each axis."""
        return LINEAR


@dataclass(frozen=True)
class Interpolation1d(Interpolation):
    """A sequence of another length."""

    T_o: Expr = sizes.T_o

    signature: ClassVar[str] = SEQUENCE
    title: ClassVar[str] = "a sequence of another length, straight between neighbours"

    @property
    def lengths(self) -> Shape:
        """Along the sequence."""
        return (self.T_o,)


@dataclass(frozen=True)
class Interpolation2d(Interpolation):
    """An image of another size: bilinear, or (``cubic``) bicubic, from four neighbours each way.

    Source: PyTorch 2.13, torch.nn.Upsample; Keys (1981), equation 4, with a = -3/4.
    """

    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o
    cubic: bool = False

    signature: ClassVar[str] = IMAGE
    title: ClassVar[str] = "an image of another size, between neighbours"
    references: ClassVar[tuple[str, ...]] = (
        PYTORCH,
        "Keys, Cubic Convolution Interpolation for Digital Image Processing (1981), equation 4",
    )

    @property
    def lengths(self) -> Shape:
        """Down and across."""
        return self.H_o, self.W_o

    @property
    def neighbours(self) -> Neighbours:
        """Two, or four."""
        return CUBIC if self.cubic else LINEAR


@dataclass(frozen=True)
class Interpolation3d(Interpolation):
    """A volume of another size (trilinear)."""

    D_o: Expr = sizes.D_o
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o

    signature: ClassVar[str] = VOLUME
    title: ClassVar[str] = "a volume of another size, straight between neighbours"

    @property
    def lengths(self) -> Shape:
        """In depth, down and across."""
        return self.D_o, self.H_o, self.W_o
