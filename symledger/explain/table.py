"""Every amount of every source at every known configuration, to be looked up by its value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.explain.lines import LINE, WHOLE
from symledger.explain.outline import Sizes
from symledger.explain.parts import Part, parts, swapped
from symledger.explain.readings import Asked
from symledger.explain.sources import Points, Source, evaluate
from symledger.explain.sums import Sum
from symledger.explain.usual import Known
from symledger.explain.values import SLACK, Grid, Spans, Where


class Row(NamedTuple):
    """An amount at the sizes of known configurations, which are the same as far as it goes."""

    value: int
    part: Part
    points: Points

    @property
    def known(self) -> Known:
        """The first of the configurations."""
        return self.points[0][0]

    @property
    def sizes(self) -> Sizes:
        """All sizes at the first of the configurations."""
        return self.points[0][1]

    @property
    def form(self) -> Terms:
        """The polynomial under those equations that hold at these sizes."""
        equations = self.part.variant.outline.equations
        return algebra.substitute(self.part.general, holding(equations, self.sizes))


def holding(equations: Mapping[Symbol, Terms], at: Sizes) -> dict[Symbol, Terms]:
    """Return those equations that hold at some sizes."""
    return {s: p for s, p in equations.items() if at.get(s.name) == evaluate(p, at) is not None}


@dataclass(eq=False)
class Same:
    """Parts with the same amount under the same equations; ``likely`` is what tells them apart.

    That is the family, the choices, and whether it is all of a target.
    """

    parts: list[Part] = field(default_factory=list)
    likely: set[tuple[str, tuple[tuple[str, object], ...], bool]] = field(default_factory=set)

    @cached_property
    def unlikely(self) -> float:
        """How far the plainest of them is from the plainest answer."""
        return min(part.unlikely for part in self.parts)


@dataclass(eq=False)
class Alike:
    """What is known at the same configurations: a row for each amount, with its parts."""

    where: Where
    amounts: list[Sum] = field(default_factory=list)
    parts: list[list[Part]] = field(default_factory=list)
    met: dict[int, list[Same]] = field(default_factory=dict)

    def same(self, row: int) -> list[Same]:
        """The parts of a row, those together of which the same is to be said."""
        if row not in self.met:
            found: dict[object, Same] = {}
            for part in self.parts[row]:
                v = part.variant
                key = id(v.outline.equations), part.near, part.kind == WHOLE
                same = found.setdefault(key, Same())
                same.parts.append(part)
                same.likely.add((v.family, v.changed, part.kind == WHOLE))
            self.met[row] = list(found.values())
        return self.met[row]

    @cached_property
    def grid(self) -> Grid:
        """The values of the amounts."""
        return Grid(self.where, self.amounts)

    @property
    def plain(self) -> list[int]:
        """The rows of what is all of a target, or one line of it."""
        return [i for i, several in enumerate(self.parts) if any(map(_is_plain, several))]

    @cached_property
    def asked(self) -> dict[Asked, list[int]]:
        """The rows by what they are asked for."""
        found: dict[Asked, list[int]] = {}
        for i, several in enumerate(self.parts):
            found.setdefault(several[0].asked, []).append(i)
        return found


class Table:
    """The parts of the sources, and what they amount to at known sizes."""

    def __init__(self, sources: Iterable[Source], asked: Iterable[Asked]) -> None:
        self.parts: list[tuple[Part, Source]] = []
        whole: set[tuple[Asked, frozenset[object]]] = set()
        self.sources = tuple(sources)
        self.asked = tuple(asked)
        self.given = {name for s in self.sources if not s.inside for name in s.given}
        self.holding: dict[tuple[int, int], tuple[frozenset[Symbol], dict[Symbol, Terms]]] = {}
        self.forms: dict[object, Terms] = {}
        for one in self.asked:
            for source in self.sources:
                found = parts(source.variant, one)
                if found:
                    key = one, frozenset(found[0].general.items())
                    if source.variant.near and key in whole:
                        continue  # this choice changes nothing here
                    alike = source.variant.near if source.inside else key in whole
                    self.parts += [(p, source) for p in (found[:1] if alike else found)]
                    whole.add(key)
                    if one == Asked("params") and source.given and not source.variant.near:
                        self.parts += _swapped(found[0], source)

    @cached_property
    def alike(self) -> list[Alike]:
        """The parts, those of the same configurations together."""
        groups: dict[object, Alike] = {}
        of: dict[int, Alike] = {}
        rows: dict[object, list[Part]] = {}
        for part, source in self.parts:
            if id(source) not in of:
                drawn = source.variant.outline
                names = tuple(sorted({*drawn.frame.symbols, *(s.name for s in drawn.equations)}))
                key = id(source.points), names
                if key not in groups:
                    groups[key] = Alike(Where(source.points, names))
                of[id(source)] = groups[key]
            alike = of[id(source)]
            row = part.asked, id(part.amount), id(alike)
            if row not in rows:
                rows[row] = []
                alike.amounts.append(part.amount)
                alike.parts.append(rows[row])
            rows[row].append(part)
        return list(groups.values())

    def form(self, part: Part, at: Sizes) -> Terms:
        """Return a part's polynomial under those equations that hold at sizes of a source."""
        equations = part.variant.outline.equations
        here = id(equations), id(at)
        if here not in self.holding:
            given = holding(equations, at)
            self.holding[here] = frozenset(given), given
        names, given = self.holding[here]
        key = id(part.amount), id(equations), names
        if key not in self.forms:
            self.forms[key] = algebra.substitute(part.general, given)
        return self.forms[key]

    def sizes_of(self, symbol: str) -> list[int]:
        """The sizes that a symbol is known to have, in order."""
        points = {id(s.points): s.points for s in self.sources}.values()
        return sorted({at[symbol] for several in points for _, at in several if symbol in at})

    def between(
        self, asked: Asked, meant: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, Same, Points]]:
        """Yield each value of what is asked for that is meant, the ends included.

        With it parts that have it under the same equations, and the points where they have it.
        """
        spans = Spans(meant)
        for alike in self.alike:
            for i, j, value in alike.grid.within(spans, alike.asked.get(asked, [])):
                for same in alike.same(i):
                    yield value, same, alike.where.points[j]

    def occurring(self, asked: Asked, low: int, high: int) -> Iterator[Row]:
        """Yield models and their lines, as they are by default, whose value is meant."""
        spans = Spans([(low, high)])
        for alike in self.alike:
            rows = [
                i for i in alike.asked.get(asked, []) if any(p.occurs for p in alike.parts[i])
            ]  # fmt: skip
            for i, j, value in alike.grid.within(spans, rows) if rows else ():
                for part in alike.parts[i]:
                    if part.occurs:
                        yield Row(value, part, alike.where.points[j])

    def around(self, n: int, most: int) -> list[Row]:
        """Return a row of each of the values nearest to a number, nearest first.

        Only what is whole or one line counts here: a sum could always be made up that is nearer.
        """
        plain = [(alike, rows) for alike in self.alike if (rows := alike.plain)]
        if not plain:
            return []
        known = np.unique(np.concatenate([alike.grid.floats(rows) for alike, rows in plain]))
        place = int(np.searchsorted(known, n))
        spans = Spans(_whole_about(known[max(place - 4 * most, 0) : place + 4 * most]))
        found: dict[int, Row] = {}
        for alike, rows in plain:
            for i, j, value in alike.grid.within(spans, rows):
                best = min(filter(_is_plain, alike.parts[i]), key=lambda part: part.unlikely)
                row = Row(value, best, alike.where.points[j])
                found[value] = min(found.get(value, row), row, key=_unlikely)
        near = sorted(sorted(found), key=lambda value: abs(value - n))
        return [found[value] for value in near[:most]]


def _is_plain(part: Part) -> bool:
    """Whether it is all of a target, or one line of it."""
    return part.kind in (WHOLE, LINE)


def _whole_about(values: Iterable[float]) -> Iterator[tuple[int, int]]:
    """Yield the span of whole numbers that each float may stand for."""
    for value in values:
        yield floor(value * (1 - SLACK)), ceil(value * (1 + SLACK))


def _unlikely(row: Row) -> tuple[float, int]:
    return row.part.unlikely, len({s for monomial in row.form for s, _ in monomial})


def _swapped(whole: Part, source: Source) -> Iterator[tuple[Part, Source]]:
    """Yield what an axis taken for another makes of a target whose sizes were all given."""
    at = source.all_given
    right = evaluate(whole.general, at)
    seen = set()
    for part in swapped(source.variant) if right else ():
        wrong = evaluate(part.general, at)
        key = wrong, part.said.partition(" taken")[0]
        if wrong != right and key not in seen:
            seen.add(key)
            yield part, source
