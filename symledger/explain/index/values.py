"""Many amounts at many sizes at once: floats say where to look, whole numbers what is there.

A million values are compared with a number in a moment that way. A float only decides which of them
are worked out exactly, and it is let in with a slack far above its rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symledger.algebra import ONE, Monomial, Number, Terms
from symledger.explain.index.known import Known
from symledger.explain.index.outline import Sizes
from symledger.explain.index.sources import Points, evaluate
from symledger.explain.sums import Sum

Floats = NDArray[np.float64]
Span = tuple[int, int]
SLACK = 1e-11
"""How far a float may be from its whole number, as a share of what was added up to get it."""
EXACT = 2.0**53
"""Below this every whole number is a float."""
ZERO: Terms = {ONE: 0}
NOTHING = ((1, ZERO),)
"""A sum of nothing."""


class Where:
    """The known configurations of a source, those of which it sees the same sizes together."""

    def __init__(self, points: Points, names: Sequence[str]) -> None:
        found: dict[tuple[int | None, ...], list[tuple[Known, Sizes]]] = {}
        for known, at in points:
            found.setdefault(tuple(map(at.get, names)), []).append((known, at))
        self.points = [tuple(alike) for alike in found.values()]
        self.sizes = [alike[0][1] for alike in self.points]
        self.names = {name: i for i, name in enumerate(names)}

    @cached_property
    def factors(self) -> Floats:
        """One, then every size at every point, then one over each; NaN where there is none."""
        sizes = [[at.get(name) or np.nan for name in self.names] for at in self.sizes]
        table: Floats = np.array(sizes, float).reshape(len(self.sizes), len(self.names)).T
        shape = 1, len(self.sizes)
        return np.vstack([np.ones(shape), table, 1 / table, np.full(shape, np.nan)])

    def factor(self, name: str, n: int) -> int:
        """Return in which row of the factors a size is, or where ``n`` is negative one over it."""
        i = self.names.get(name)
        return -1 if i is None else 1 + i + (len(self.names) if n < 0 else 0)


class Grid:
    """The values of amounts, one in a row, at the points of one place, one in a column."""

    def __init__(self, where: Where, amounts: Sequence[Sum]) -> None:
        self.where = where
        self.amounts = amounts

    @cached_property
    def _near(self) -> tuple[Floats, Floats]:
        """The values as floats, and how far from each a whole number may be.

        That is nowhere where only whole numbers were added and multiplied, and all that was added
        up is less than EXACT: so far floats are whole numbers, and lose nothing.
        """
        pieces = [amount.pieces or NOTHING for amount in self.amounts]
        often, polynomial = zip(*chain.from_iterable(pieces), strict=True)
        sums = Combined(often, polynomial, map(len, pieces))
        terms: list[Terms] = [p or ZERO for p in sums.things]
        numbers = chain.from_iterable(p.values() for p in terms)
        polynomials = Combined(numbers, chain.from_iterable(terms), map(len, terms))
        monomials = self._monomials(polynomials.things)
        each = polynomials.of(monomials)
        sizes = polynomials.sizes(monomials) if polynomials.fall else each
        values = sums.of(each)
        total = sums.sizes(sizes) if polynomials.fall or sums.fall else values
        rising = np.array([all(n > 0 for _, n in m) for m in polynomials.things], bool)
        exact = sums.whole(polynomials.whole(rising))[:, None] & (total < EXACT)
        return values, np.where(exact, 0, SLACK * total)

    def _monomials(self, monomials: Sequence[Monomial]) -> Floats:
        """The values of products of powers, NaN where a size is not known."""
        factor = self.where.factor
        rows = [[i for s, n in m for i in [factor(s.name, n)] * abs(n)] or [0] for m in monomials]
        index, starts = list(chain.from_iterable(rows)), _starts(map(len, rows))
        values: Floats = np.multiply.reduceat(self.where.factors[index], starts, axis=0)
        return values

    def within(
        self, spans: Spans, rows: Sequence[int]
    ) -> Iterator[tuple[int, int, int, list[int]]]:
        """Yield row, column and value of what lies in some spans, in order, and in which."""
        if not spans.merged:
            return
        values, slack = (part[rows] for part in self._near)
        last = np.searchsorted(spans.lows, values + slack, side="right") - 1
        found = np.nonzero((last >= 0) & (values - slack <= spans.highs[last]))
        columns = (*found, values[found], slack[found], last[found])
        for i, j, near, unsure, place in zip(*map(np.ndarray.tolist, columns), strict=True):
            value = self.exact(rows[i], j) if unsure else int(near)
            held = [n for low, high, n in spans.parts[place] if low <= value <= high]
            if value and held:
                yield rows[i], j, value, held

    def whole(self, rows: Sequence[int]) -> Floats:
        """Return the floats of the positive whole numbers among the values of rows, 0 elsewhere."""
        values, slack = (part[rows] for part in self._near)
        found: Floats = np.where(values > 0, values, 0.0)
        for i, j in np.argwhere((slack > 0) & np.isfinite(values)).tolist():
            found[i, j] = self.exact(rows[i], j)
        return found

    def floats(self, rows: Sequence[int]) -> Floats:
        """The values of some rows that are known, as floats, in no order."""
        values = self._near[0][rows]
        found: Floats = values[np.isfinite(values)]
        return found

    def exact(self, row: int, column: int) -> int:
        """Return a value exactly; 0 where it is no whole number that is positive."""
        total: int | Fraction = 0
        for often, p in self.amounts[row].pieces:
            value = evaluate(p, self.where.sizes[column])
            if value is None:
                return 0
            total += often * value
        return int(total) if total > 0 and total.denominator == 1 else 0


class Spans:
    """Spans of whole numbers, the ends included; those that overlap are one, of several ``parts``.

    A part knows which of the given spans it is. Where ``only`` is told, no others are taken.
    """

    def __init__(self, spans: Sequence[Span], only: Iterable[int] | None = None) -> None:
        merged: list[list[int]] = []
        self.parts: list[list[tuple[int, int, int]]] = []
        taken = range(len(spans)) if only is None else only
        for low, high, n in sorted((*spans[n], n) for n in taken):
            if merged and low <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], high)
                self.parts[-1].append((low, high, n))
            else:
                merged.append([low, high])
                self.parts.append([(low, high, n)])
        for parts in self.parts:
            parts.sort(key=lambda part: part[2])
        self.merged = merged
        self.lows: Floats = np.array([float(low) for low, _ in merged])
        self.highs: Floats = np.array([float(high) for _, high in merged])


class Combined:
    """Sums of things, one after the other, none of them empty.

    They are given by how often and what is added up, and of how many of these each one is.
    ``things`` are all that there are, each once; equal ones have to be one object.
    """

    def __init__(
        self, often: Iterable[Number], things: Iterable[Any], lengths: Iterable[int]
    ) -> None:
        numbers, things = list(often), list(things)
        ids = list(map(id, things))
        once = dict(zip(ids, things, strict=True))
        places = dict(zip(once, range(len(once)), strict=True))
        self.things = list(once.values())
        self.index = np.array(list(map(places.__getitem__, ids)))
        self.often = np.array(numbers, float)[:, None]
        self.are_whole = np.array([n.denominator == 1 for n in numbers], bool)
        self.starts = _starts(lengths)
        self.fall = bool((self.often < 0).any())

    def of(self, values: Floats) -> Floats:
        """Return the sums of the values of things, a row for each."""
        return self._added(values, self.often)

    def sizes(self, values: Floats) -> Floats:
        """Return the same without their signs: how much was added up or taken away."""
        return self._added(values, np.abs(self.often))

    def whole(self, things: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which sums are whole numbers, being told which things are."""
        found: NDArray[np.bool_] = np.logical_and.reduceat(
            things[self.index] & self.are_whole, self.starts
        )
        return found

    def _added(self, values: Floats, often: Floats) -> Floats:
        total: Floats = np.add.reduceat(values[self.index] * often, self.starts, axis=0)
        return total


def _starts(lengths: Iterable[int]) -> NDArray[np.int_]:
    """Return where each of some rows starts that stand one after the other."""
    return np.cumsum([0, *lengths])[:-1]
