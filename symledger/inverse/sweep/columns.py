"""Polynomials over a grid, in columns: exact in int64 where the box proves it, or else in Python's.

A polynomial is a sum of products, of what depends on the axes outside and of what depends on the
one inside. With whole coefficients and no negative power, no sum of some of its terms exceeds the
sum of all their largest absolute values: where that is below 2^63, nothing can overflow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Literal

import numpy as np
from sympy import Symbol

from symledger.algebra import Monomial, Terms
from symledger.errors import BadInput

Array = np.ndarray[Any, Any]
Kind = Literal["int64", "float64", "object"]
Whole = tuple[tuple[Monomial, int], ...]
"""A polynomial with whole coefficients, no power negative."""
LIMIT = 2**63
ROUNDINGS = 64
"""Far more roundings than any value goes through in floating point, each of half a unit in 2^53."""


@dataclass(frozen=True, eq=False)
class Column:
    """A size along one axis, value by value: that of the axis itself, or one rounded from it."""

    axis: int
    values: Array
    largest: int

    @cached_property
    def rises(self) -> bool:
        """Whether no value is less than the one before it."""
        return bool((np.diff(self.values) >= 0).all())


Columns = Mapping[Symbol, Column]


def column(axis: int, values: Sequence[int]) -> Column:
    """Return the column of some values."""
    return Column(axis, np.array(values, dtype=np.int64), max(int(values[0]), max(values)))


@dataclass(frozen=True)
class Scaled:
    """Polynomials over one scale: each times ``scale``, with whole coefficients and powers."""

    branches: tuple[Whole, ...]
    scale: Whole
    columns: Columns

    @cached_property
    def bound(self) -> int:
        """What no partial sum of a branch, and no scale, exceeds anywhere in the box."""
        return max(self._bound(one) for one in (*self.branches, self.scale))

    @property
    def fits(self) -> bool:
        """Whether int64 holds everything that arises."""
        return self.bound < LIMIT

    def _bound(self, terms: Whole) -> int:
        total = 0
        for monomial, c in terms:
            product = abs(c)
            for symbol, n in monomial:
                product *= self.columns[symbol].largest ** n
            total += product
        return total

    @cached_property
    def axes(self) -> frozenset[int]:
        """The axes that it depends on."""
        every = (*self.branches, self.scale)
        return frozenset(
            self.columns[s].axis for one in every for monomial, _ in one for s, _ in monomial
        )

    def goes_one_way(self, inside: int) -> bool:
        """Whether all terms with a size along an axis have one sign, and these sizes rise."""
        along = [(c > 0, self.columns[symbol]) for one in self.branches for monomial, c in one
                 for symbol, _ in monomial if self.columns[symbol].axis == inside]  # fmt: skip
        return len({sign for sign, _ in along}) < 2 and all(own.rises for _, own in along)


def scaled(branches: Sequence[Terms], columns: Columns) -> Scaled:
    """Multiply polynomials by what makes coefficients and powers whole."""
    low: dict[Symbol, int] = {}
    for one in branches:
        for monomial in one:
            for symbol, n in monomial:
                if symbol not in columns:
                    raise BadInput(f"{symbol} follows several sizes that are swept, and is rounded "
                                   "from them: sweep one of these at a time.")  # fmt: skip
                low[symbol] = max(low.get(symbol, 0), -n)
    common = lcm(*(Fraction(c).denominator for one in branches for c in one.values()), 1)
    up = _times(Monomial(), low)
    whole = tuple(
        tuple((_times(monomial, low), int(c * common)) for monomial, c in one.items())
        for one in branches
    )
    return Scaled(whole, ((up, common),), columns)


def _times(monomial: Monomial, low: Mapping[Symbol, int]) -> Monomial:
    exponents = {s: n for s, n in low.items() if n}
    for symbol, n in monomial:
        exponents[symbol] = exponents.get(symbol, 0) + n
    pairs = ((s, n) for s, n in exponents.items() if n)
    return Monomial(sorted(pairs, key=lambda pair: pair[0].name))


@dataclass
class Block:
    """Some configurations: rows of axes outside, by index, against a slice of the one inside."""

    rows: Mapping[int, Array]
    inside: int
    along: slice
    columns: Columns
    height: int

    def __post_init__(self) -> None:
        self._made: dict[tuple[Symbol, int, Kind], Array] = {}
        self.width = self.along.stop - self.along.start

    def power(self, symbol: Symbol, n: int, kind: Kind) -> Array:
        """Return a power of a size: along the axis inside, or for the rows."""
        key = symbol, n, kind
        if key not in self._made:
            own = self.columns[symbol]
            where = self.along if own.axis == self.inside else self.rows[own.axis]
            self._made[key] = own.values[where].astype(kind) ** n
        return self._made[key]

    def parts(self, terms: Whole, kind: Kind) -> list[tuple[Array, Array | None]]:
        """Return what a polynomial is the sum of: rows, each times a line inside (None: one)."""
        grouped: dict[tuple[tuple[Symbol, int], ...], Array] = {}
        for monomial, c in terms:
            inner = tuple(pair for pair in monomial if self.columns[pair[0]].axis == self.inside)
            product = np.full(self.height, c, dtype=kind)
            for pair in monomial:
                if pair not in inner:
                    product = product * self.power(*pair, kind)
            grouped[inner] = grouped[inner] + product if inner in grouped else product
        return [(own, self._line(inner, kind)) for inner, own in grouped.items()]

    def _line(self, inner: tuple[tuple[Symbol, int], ...], kind: Kind) -> Array | None:
        line: Array | None = None
        for pair in inner:
            factor = self.power(*pair, kind)
            line = factor if line is None else line * factor
        return line

    def evaluated(self, terms: Whole, kind: Kind) -> Array:
        """Return a polynomial at every configuration; one column where nothing varies inside."""
        total: Array | None = None
        spare: Array | None = None
        for own, line in sorted(self.parts(terms, kind), key=lambda part: part[1] is None):
            rows = own[:, None]
            if line is None:
                total = rows.copy() if total is None else np.add(total, rows, out=total)
            elif total is None:
                total = rows * line[None, :]
            else:
                spare = np.empty_like(total) if spare is None else spare
                np.multiply(rows, line[None, :], out=spare)
                np.add(total, spare, out=total)
        return np.zeros((self.height, 1), dtype=kind) if total is None else total

    def largest(self, s: Scaled, kind: Kind) -> Array:
        """Return the largest of some polynomials, times their scale."""
        total, *others = (self.evaluated(one, kind) for one in s.branches)
        for other in others:
            total = np.maximum(total, other)
        return total

    def error(self, s: Scaled) -> Array:
        """Return for every row more than floating point can be wrong by in it."""
        total = np.zeros(self.height)
        for one in s.branches:
            for own, line in self.parts(tuple((m, abs(c)) for m, c in one), "float64"):
                total += own * (1.0 if line is None else line.max(initial=0.0))
        return (total * (ROUNDINGS / 2**53))[:, None]

    def at(self, along: Array) -> Block:
        """Return one configuration of each row, by its number in this block, as rows."""
        rows = {**self.rows, self.inside: along + self.along.start}
        return Block(rows, -1, slice(0, 1), self.columns, self.height)

    def kept(self, mask: Array) -> Block:
        """Return this block with some of its rows."""
        return Block({axis: at[mask] for axis, at in self.rows.items()}, self.inside, self.along,
                     self.columns, int(mask.sum()))  # fmt: skip


def single(rows: Mapping[int, Array], columns: Columns) -> Block:
    """Return a block of configurations that each are a row of its own."""
    return Block(rows, -1, slice(0, 1), columns, len(next(iter(rows.values()))))
