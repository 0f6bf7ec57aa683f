"""Adaptive pooling: as many equal tiles as are asked for, whatever the size of the input."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

from sympy import Expr, Integer, Rational, Symbol, floor

from symledger import sizes
from symledger.components.convolution.pooling import GOODFELLOW, IMAGE, SEQUENCE, VOLUME, alone
from symledger.components.convolution.windowed import OFFSETS, PLACES
from symledger.ir.region import Values
from symledger.ir.shapes import ONE, Shape, product
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.indexing import largest_at, which_largest_at
from symledger.notation.verbs import argmax, gather, maximum, mean, scatter, table, view
from symledger.sizes import CommonDivisor, Size

HALF = Rational(1, 2)
LIN = "Lin, Chen, Yan, Network In Network (2014), section 3.2"


@dataclass(frozen=True)
class Adaptive(Component, ABC):
    """One number for each of so many tiles, equal ones where they divide the input.

    ``uneven`` tiles need not: tile i of o, of an axis of n, begins at ⌊i·n/o⌋ and ends before
    ⌈(i + 1)·n/o⌉, so that some are longer than others, and neighbours may share an element. Both n
    elements and o tiles cut an axis into equal parts; an element is in a tile where one part of
    each has something in common, and these are the n + o − gcd(n, o) parts that all cuts make.
    """

    uneven: bool = field(default=False, kw_only=True)

    lengths: ClassVar[tuple[Size, ...]]
    """The axes of what enters that tiles lie along."""

    @property
    @abstractmethod
    def numbers(self) -> Shape:
        """How many tiles there are along each axis."""

    @property
    @abstractmethod
    def met(self) -> Shape:
        """How many elements all tiles have along each axis, where those need not divide it."""

    @property
    def indices(self) -> tuple[str, str]:
        """The indices of tiles, and of the elements in a tile: ``i j`` and ``k l``."""
        return PLACES[len(self.numbers)], OFFSETS[len(self.numbers)]

    def decided(self) -> Mapping[Size, Expr]:
        """Return how many elements uneven tiles have."""
        if not self.uneven:
            return {}
        axes = zip(self.lengths, self.numbers, self.met, strict=True)
        return {m: n + o - CommonDivisor(n, o) for n, o, m in axes if isinstance(m, Size)}

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

    def seen(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the elements of uneven tiles, where in x each stands, and which tile it is in."""
        i, _ = self.indices
        elements, tiles = (
            table(name, partial(self.place, part, x.shape[2:]), *self.met, storage="index")
            for part, name in enumerate(("element", "tile"))
        )
        return gather(view(f"b c {i} -> ({i}) b c", x), elements), elements, tiles

    def place(self, part: int, lengths: Shape, *at: Symbol) -> Expr:
        """Which element, or which tile, of all counted through, a part of each axis is of."""
        found: Expr = Integer(0)
        for e, n, o, m in zip(at, lengths, self.numbers, self.met, strict=True):
            found = found * (n, o)[part] + met_at(e, n, o, m)[part]
        return found

    def laid_out(self, y: Tensor) -> Tensor:
        """Return tiles that are counted through, with channels behind them, as an image."""
        i, _ = self.indices
        return view(f"({i}) b c -> b c {i}", y, **dict(zip(i.split(), self.numbers, strict=True)))


def met_at(e: Symbol, n: Expr, o: Expr, met: Expr) -> tuple[Expr, Expr]:
    """Which of n elements and which of o tiles a part of an axis belongs to.

    The ends repeat after each gcd(n, o)-th of the axis, and do not meet between: as many of both as
    there are parts lie before a part's end, in the proportion of n and o. (What a half is added to
    is a whole number or far from one: floats do not decide it.)
    """
    divisor = n + o - met
    run = floor((e + HALF) * divisor / met)
    step = e - run * met / divisor + 1
    element, tile = (
        floor(run * length / divisor + HALF) + floor(step * length / (n + o))
        for length in (n, o)
    )
    return element, tile


@dataclass(frozen=True)
class AdaptiveAvgPool(Adaptive):
    """The mean of each tile. Nothing is kept: the gradient needs no value.

    Source: Lin, Chen, Yan, *Network In Network* (2014), section 3.2, for one tile; PyTorch 2.13,
    torch.nn.AdaptiveAvgPool2d, for uneven ones.
    """

    references: ClassVar[tuple[str, ...]] = (LIN,)

    def forward(self, x: Tensor) -> Steps:
        if not self.uneven:
            return steps(y=view(alone(self.indices[0]), mean(self.tiles(x))))
        rows, _, tiles = self.seen(x)
        summed = scatter(rows, tiles, (product(self.numbers), *rows.shape[-2:]))
        share = table("share", partial(self.share, x.shape[2:]), *self.numbers)
        return steps(y=self.laid_out(summed) * share)

    def share(self, lengths: Shape, *at: Symbol) -> Expr:
        """One divided by how many elements a tile has."""
        elements: Expr = ONE
        for i, n, o in zip(at, lengths, self.numbers, strict=True):
            elements *= floor(((i + 1) * n - HALF) / o) + 1 - floor((i * n + HALF) / o)
        return 1 / elements


@dataclass(frozen=True)
class AdaptiveMaxPool(Adaptive):
    """The largest element of each tile. Fused: kept is where it stands, and not the input.

    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 9.3; PyTorch 2.13,
    torch.nn.AdaptiveMaxPool2d, for uneven tiles.
    """

    references: ClassVar[tuple[str, ...]] = (GOODFELLOW,)

    def forward(self, x: Tensor) -> Steps:
        if self.uneven:
            rows, elements, tiles = self.seen(x)
            number = product(self.numbers)
            which = self.laid_out(which_largest_at(rows, tiles, number))
            counted = view(f"{self.indices[0]} -> ({self.indices[0]})", elements)
            place = replace(gather(counted, which), storage="index")
            y = self.laid_out(largest_at(rows, tiles, number))
            return steps(which=which, place=place, y=y)
        seen = self.tiles(x)
        return steps(place=argmax(seen), y=view(alone(self.indices[0]), maximum(seen)))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send each element of dy back to where the largest one stood."""
        i, k = self.indices
        B, C, *lengths = at.x.shape
        if self.uneven:
            return {"x": self.sent_back(at.x.shape, at.place, dy)}
        inner = {name: n / number for name, n, number in
                 zip(k.split(), lengths, self.numbers, strict=True)}  # fmt: skip
        into = (B, C, *self.numbers, product(tuple(inner.values())))
        seen = scatter(view(f"... {i} -> ... {i} ()", dy), at.place, into, batch=dy.rank)
        pairs = self.beside("({} {})")
        return {"x": view(f"b c {i} ({k}) -> b c {pairs}", seen, **inner)}

    def sent_back(self, shape: Shape, place: Tensor, dy: Tensor) -> Tensor:
        """Add each element of dy to where in an image the largest of an uneven tile stood."""
        i, _ = self.indices
        B, C, *lengths = shape
        into = (B, C, product(tuple(lengths)))
        found, stood = (view(f"b c {i} -> b c ({i})", t) for t in (dy, place))
        seen = scatter(found, stood, into, batch=2)
        return view(f"b c ({i}) -> b c {i}", seen, **dict(zip(i.split(), lengths, strict=True)))


@dataclass(frozen=True)
class Tiles1d(Adaptive):
    """Tiles of a sequence."""

    T_o: Expr = sizes.T_o
    T_n: Expr = field(default=sizes.T_n, kw_only=True)

    signature: ClassVar[str] = SEQUENCE
    lengths: ClassVar[tuple[Size, ...]] = (sizes.T,)

    @property
    def numbers(self) -> Shape:
        """Along the sequence."""
        return (self.T_o,)

    @property
    def met(self) -> Shape:
        """Along the sequence."""
        return (self.T_n,)


@dataclass(frozen=True)
class Tiles2d(Adaptive):
    """Tiles of an image."""

    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o
    H_n: Expr = field(default=sizes.H_n, kw_only=True)
    W_n: Expr = field(default=sizes.W_n, kw_only=True)

    signature: ClassVar[str] = IMAGE
    lengths: ClassVar[tuple[Size, ...]] = (sizes.H, sizes.W)

    @property
    def numbers(self) -> Shape:
        """Down and across."""
        return self.H_o, self.W_o

    @property
    def met(self) -> Shape:
        """Down and across."""
        return self.H_n, self.W_n


@dataclass(frozen=True)
class Tiles3d(Adaptive):
    """Tiles of a volume."""

    D_o: Expr = sizes.D_o
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o
    D_n: Expr = field(default=sizes.D_n, kw_only=True)
    H_n: Expr = field(default=sizes.H_n, kw_only=True)
    W_n: Expr = field(default=sizes.W_n, kw_only=True)

    signature: ClassVar[str] = VOLUME
    lengths: ClassVar[tuple[Size, ...]] = (sizes.D, sizes.H, sizes.W)

    @property
    def numbers(self) -> Shape:
        """In depth, down and across."""
        return self.D_o, self.H_o, self.W_o

    @property
    def met(self) -> Shape:
        """In depth, down and across."""
        return self.D_n, self.H_n, self.W_n


@dataclass(frozen=True)
class AdaptiveAvgPool1d(AdaptiveAvgPool, Tiles1d):
    """The mean of each tile of a sequence."""

    title: ClassVar[str] = "the mean of each of so many tiles of a sequence"


@dataclass(frozen=True)
class AdaptiveAvgPool2d(AdaptiveAvgPool, Tiles2d):
    """The mean of each tile of an image."""

    title: ClassVar[str] = "the mean of each of so many tiles"


@dataclass(frozen=True)
class AdaptiveAvgPool3d(AdaptiveAvgPool, Tiles3d):
    """The mean of each tile of a volume."""

    title: ClassVar[str] = "the mean of each of so many tiles of a volume"


@dataclass(frozen=True)
class AdaptiveMaxPool1d(AdaptiveMaxPool, Tiles1d):
    """The largest element of each tile of a sequence."""

    title: ClassVar[str] = "the largest element of each of so many tiles of a sequence"


@dataclass(frozen=True)
class AdaptiveMaxPool2d(AdaptiveMaxPool, Tiles2d):
    """The largest element of each tile of an image."""

    title: ClassVar[str] = "the largest element of each of so many tiles"


@dataclass(frozen=True)
class AdaptiveMaxPool3d(AdaptiveMaxPool, Tiles3d):
    """The largest element of each tile of a volume."""

    title: ClassVar[str] = "the largest element of each of so many tiles of a volume"
