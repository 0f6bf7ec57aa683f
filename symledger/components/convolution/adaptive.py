"""Adaptive pooling: as many equal tiles as are asked for, whatever the size of the input."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.convolution.pooling import GOODFELLOW, IMAGE, SEQUENCE, VOLUME, alone
from symledger.components.convolution.windowed import OFFSETS, PLACES
from symledger.ir.region import Values
from symledger.ir.shapes import Shape, product
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import argmax, maximum, mean, scatter, view

LIN = "Lin, Chen, Yan, Network In Network (2014), section 3.2"


@dataclass(frozen=True)
class Adaptive(Component, ABC):
    """One number for each of so many equal tiles.

    The input must divide into them: tiles of unequal size, which overlap, are not defined here.
    """

    @property
    @abstractmethod
    def numbers(self) -> Shape:
        """How many tiles there are along each axis."""

    @property
    def indices(self) -> tuple[str, str]:
        """The indices of tiles, and of the elements in a tile: ``i j`` and ``k l``."""
        return PLACES[len(self.numbers)], OFFSETS[len(self.numbers)]

    def tiles(self, x: Tensor) -> Tensor:
        """Put all elements of each tile side by side: … H W becomes … H_o W_o n."""
        i, k = self.indices
        opened, pairs = self.beside("{} {}"), self.beside("({} {})")
        tiles = dict(zip(i.split(), self.numbers, strict=True))
        x = view(f"b c {pairs} -> b c {opened}", x, **tiles)
        return view(f"b c {opened} -> b c {i} ({k})", x)

    def beside(self, pair: str) -> str:
        """Write each index of tiles beside that of the elements in them: ``(i k) (j l)``."""
        return " ".join(map(pair.format, *(indices.split() for indices in self.indices)))


@dataclass(frozen=True)
class AdaptiveAvgPool(Adaptive):
    """The mean of each tile. Nothing is kept: the gradient needs no value.

    Source: Lin, Chen, Yan, *Network In Network* (2014), section 3.2, for one tile.
    """

    references: ClassVar[tuple[str, ...]] = (LIN,)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view(alone(self.indices[0]), mean(self.tiles(x))))


@dataclass(frozen=True)
class AdaptiveMaxPool(Adaptive):
    """The largest element of each tile. Fused: kept is where it stands, and not the input.

    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 9.3.
    """

    references: ClassVar[tuple[str, ...]] = (GOODFELLOW,)

    def forward(self, x: Tensor) -> Steps:
        seen = self.tiles(x)
        return steps(place=argmax(seen), y=view(alone(self.indices[0]), maximum(seen)))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send each element of dy back to where the largest one stood."""
        i, k = self.indices
        B, C, *lengths = at.x.shape
        inner = {name: n / number for name, n, number in
                 zip(k.split(), lengths, self.numbers, strict=True)}  # fmt: skip
        into = (B, C, *self.numbers, product(tuple(inner.values())))
        seen = scatter(view(f"... {i} -> ... {i} ()", dy), at.place, into, batch=dy.rank)
        pairs = self.beside("({} {})")
        return {"x": view(f"b c {i} ({k}) -> b c {pairs}", seen, **inner)}


@dataclass(frozen=True)
class Tiles1d(Adaptive):
    """Tiles of a sequence."""

    T_o: Expr = sizes.T_o

    signature: ClassVar[str] = SEQUENCE

    @property
    def numbers(self) -> Shape:
        """Along the sequence."""
        return (self.T_o,)


@dataclass(frozen=True)
class Tiles2d(Adaptive):
    """Tiles of an image."""

    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o

    signature: ClassVar[str] = IMAGE

    @property
    def numbers(self) -> Shape:
        """Down and across."""
        return self.H_o, self.W_o


@dataclass(frozen=True)
class Tiles3d(Adaptive):
    """Tiles of a volume."""

    D_o: Expr = sizes.D_o
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o

    signature: ClassVar[str] = VOLUME

    @property
    def numbers(self) -> Shape:
        """In depth, down and across."""
        return self.D_o, self.H_o, self.W_o


@dataclass(frozen=True)
class AdaptiveAvgPool1d(AdaptiveAvgPool, Tiles1d):
    """The mean of each tile of a sequence."""

    title: ClassVar[str] = "the mean of each of so many equal tiles of a sequence"


@dataclass(frozen=True)
class AdaptiveAvgPool2d(AdaptiveAvgPool, Tiles2d):
    """The mean of each tile of an image."""

    title: ClassVar[str] = "the mean of each of so many equal tiles"


@dataclass(frozen=True)
class AdaptiveAvgPool3d(AdaptiveAvgPool, Tiles3d):
    """The mean of each tile of a volume."""

    title: ClassVar[str] = "the mean of each of so many equal tiles of a volume"


@dataclass(frozen=True)
class AdaptiveMaxPool1d(AdaptiveMaxPool, Tiles1d):
    """The largest element of each tile of a sequence."""

    title: ClassVar[str] = "the largest element of each of so many equal tiles of a sequence"


@dataclass(frozen=True)
class AdaptiveMaxPool2d(AdaptiveMaxPool, Tiles2d):
    """The largest element of each tile of an image."""

    title: ClassVar[str] = "the largest element of each of so many equal tiles"


@dataclass(frozen=True)
class AdaptiveMaxPool3d(AdaptiveMaxPool, Tiles3d):
    """The largest element of each tile of a volume."""

    title: ClassVar[str] = "the largest element of each of so many equal tiles of a volume"
