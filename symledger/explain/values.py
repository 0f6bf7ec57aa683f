"""Many amounts at many sizes at once: floats say where to look, whole numbers what is there.

A million values are compared with a number in a moment that way. A float only decides which of them
are worked out exactly, and it is let in with a slack far above its rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symledger.algebra import Monomial, Terms
from symledger.explain.outline import Sizes
from symledger.explain.sources import Points, evaluate
from symledger.explain.sums import Sum
from symledger.explain.usual import Known

Floats = NDArray[np.float64]
Span = tuple[int, int]
SLACK = 1e-11
"""How far a float may be from its whole number, as a share of what was added up to get it."""


class Where:
    """The known configurations of a source, those of which it sees the same sizes together."""

    def __init__(self, points: Points, names: Sequence[str]) -> None:
        found: dict[tuple[int | None, ...], list[tuple[Known, Sizes]]] = {}
        for known, at in points:
            found.setdefault(tuple([at.get(name) for name in names]), []).append((known, at))
        self.points = [tuple(alike) for alike in found.values()]
        self.sizes = [alike[0][1] for alike in self.points]
        self.names = {name: i for i, name in enumerate(names)}

    @cached_property
    def logarithms(self) -> Floats:
        """The logarithm of every size at every point; NaN where there is none."""
        sizes = [[at.get(name) or np.nan for name in self.names] for at in self.sizes]
        table: Floats = np.array(sizes, float).reshape(len(self.sizes), len(self.names)).T
        return np.log(table)


class Grid:
    """The values of amounts, one in a row, at the points of one place, one in a column."""

    def __init__(self, where: Where, amounts: Sequence[Sum]) -> None:
        self.where = where
        self.amounts = amounts

    @cached_property
    def _near(self) -> tuple[Floats, Floats]:
        """The values as floats, and how far from each a whole number may be."""
        pieces: dict[int, tuple[int, Terms]] = {}
        for amount in self.amounts:
            for _, p in amount.pieces:
                pieces.setdefault(id(p), (len(pieces), p))
        polynomials, sizes = self._polynomials([p for _, p in pieces.values()])
        sums = [[(pieces[id(p)][0], n) for n, p in amount.pieces] for amount in self.amounts]
        values = _combined(polynomials, sums)
        if sizes is polynomials and all(n > 0 for row in sums for _, n in row):
            return values, SLACK * values
        return values, SLACK * _combined(sizes, [[(i, abs(n)) for i, n in row] for row in sums])

    def _polynomials(self, polynomials: Sequence[Terms]) -> tuple[Floats, Floats]:
        """The values of polynomials, and the sums of the sizes of their terms."""
        places: dict[Monomial, int] = {}
        rows = [
            [(places.setdefault(monomial, len(places)), float(c)) for monomial, c in p.items()]
            for p in polynomials
        ]
        monomials = self._monomials(list(places))
        values = _combined(monomials, rows)
        if all(c > 0 for row in rows for _, c in row):
            return values, values
        return values, _combined(monomials, [[(i, abs(c)) for i, c in row] for row in rows])

    def _monomials(self, monomials: Sequence[Monomial]) -> Floats:
        """The values of products of powers, NaN where a size is not known."""
        names = self.where.names
        logarithms = self.where.logarithms
        powers = np.zeros((len(monomials), len(names) + 1))
        for i, monomial in enumerate(monomials):
            for symbol, n in monomial:
                powers[i, names.get(symbol.name, -1)] = n
        known = np.vstack([logarithms, np.full((1, logarithms.shape[1]), np.nan)])
        missing = np.isnan(known)
        values = np.exp(powers @ np.where(missing, 0, known))
        values[(powers != 0) @ missing.astype(float) > 0] = np.nan
        return values

    def within(self, spans: Spans, rows: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Yield row, column and value of what lies in one of some spans, in order."""
        if not spans.merged:
            return
        values, slack = (part[rows] for part in self._near)
        last = np.searchsorted(spans.lows, values + slack, side="right") - 1
        hit = (last >= 0) & (values - slack <= spans.highs[last])
        for i, j in zip(*np.nonzero(hit), strict=True):
            value = self.exact(rows[i], j)
            if value and spans.hold(value):
                yield rows[i], int(j), value

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
    """Spans of whole numbers, the ends included; those that overlap are one."""

    def __init__(self, spans: Iterable[Span]) -> None:
        merged: list[list[int]] = []
        for low, high in sorted(spans):
            if merged and low <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], high)
            else:
                merged.append([low, high])
        self.merged = merged
        self.lows: Floats = np.array([float(low) for low, _ in merged])
        self.highs: Floats = np.array([float(high) for _, high in merged])

    def hold(self, value: int) -> bool:
        """Whether a number lies in one of them."""
        return any(low <= value <= high for low, high in self.merged)


def _combined(rows: Floats, sums: Sequence[Sequence[tuple[int, Any]]]) -> Floats:
    """Add up rows, each so many times, for every sum; an empty one is zero."""
    if not sums:
        return np.zeros((0, rows.shape[1]))
    rows = np.vstack([rows, np.zeros((1, rows.shape[1]))])
    flat = [term for row in sums for term in (row or [(-1, 0)])]
    starts = np.cumsum([0, *(len(row) or 1 for row in sums[:-1])])
    index, often = (np.array(part) for part in zip(*flat, strict=True))
    total: Floats = np.add.reduceat(rows[index] * often[:, None], starts, axis=0)
    return total
