"""Every amount of every source at every known configuration, to be looked up by its value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.explain.branch import LINE, WHOLE
from symledger.explain.index.forms import Equations, Forms
from symledger.explain.index.known import Known
from symledger.explain.index.outline import Sizes
from symledger.explain.index.readings import Asked
from symledger.explain.index.sought import Sought
from symledger.explain.index.sources import Points, Source, evaluate
from symledger.explain.index.values import SLACK, Grid, Span, Spans, Where
from symledger.explain.parts import Part, first_part, parts, swapped
from symledger.explain.sums import Sum

FIRST, AGAIN = "01"
"""How a target is marked, and one that is all the same as one before."""


class AmountRow(NamedTuple):
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


def holding(equations: Equations, at: Sizes) -> dict[Symbol, Terms]:
    """Return those equations that hold at some sizes."""
    return {s: p for s, p in equations.items() if at.get(s.name) == evaluate(p, at) is not None}


@dataclass(eq=False)
class Same:
    """Parts with the same amount under the same equations, all of a target or none of them.

    ``likely`` is what tells them apart: the choices, and the ``families``.
    """

    near: bool
    whole: bool
    parts: list[Part] = field(default_factory=list)
    likely: set[tuple[str, tuple[tuple[str, object], ...]]] = field(default_factory=set)
    families: set[str] = field(default_factory=set)

    @cached_property
    def unlikely(self) -> float:
        """How far the plainest of them is from the plainest answer."""
        return min(part.unlikely for part in self.parts)

    @cached_property
    def of_a_model(self) -> bool:
        """Whether one of them is of a whole model."""
        return any(part.variant.is_model for part in self.parts)

    @property
    def asked(self) -> Asked:
        """What they are an amount of."""
        return self.parts[0].asked

    def doubt(self, points: Points) -> float:
        """What the sizes of the likeliest of some configurations add to a rank."""
        return min([
            min([known.doubt(*likely, self.whole) for likely in self.likely])
            if known.family in self.families else known.far
            for known, _ in points
        ])  # fmt: skip


@dataclass(eq=False)
class Alike:
    """What is known at the same configurations: a row for each amount, with its parts.

    ``asked`` are the rows of what is asked for, by amount; ``whole`` those of all of a target.
    """

    where: Where
    amounts: list[Sum] = field(default_factory=list)
    parts: list[list[Part]] = field(default_factory=list)
    asked: dict[Asked, dict[int, int]] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    met: dict[int, list[Same]] = field(default_factory=dict)
    stands: dict[Asked, list[int]] = field(default_factory=dict)

    def add(self, asked: Asked, parts: Iterable[Part]) -> None:
        """Add what is asked for of a target, in the rows of its amounts."""
        rows = self.asked.setdefault(asked, {})
        for part in parts:
            key = id(part.amount)
            row = rows.get(key)
            if row is None:
                row = rows[key] = len(self.amounts)
                self.amounts.append(part.amount)
                self.parts.append([part])
            else:
                self.parts[row].append(part)
            if part.kind == WHOLE:
                self.whole.add(row)

    def rows(self, asked: Asked) -> list[int]:
        """The rows of what is asked for."""
        return list(self.asked.get(asked, {}).values())

    def occurring(self, asked: Asked) -> list[int]:
        """The rows of what may stand in a configuration."""
        if asked not in self.stands:
            rows = self.rows(asked)
            self.stands[asked] = [i for i in rows if any(p.occurs for p in self.parts[i])]
        return self.stands[asked]

    def same(self, row: int) -> list[Same]:
        """The parts of a row, those together of which the same is to be said."""
        if row not in self.met:
            found: dict[object, Same] = {}
            for part in self.parts[row]:
                v = part.variant
                key = id(v.outline.equations), part.near, part.kind == WHOLE
                same = found.setdefault(key, Same(*key[1:]))
                same.parts.append(part)
                same.likely.add((v.family, v.changed))
                same.families.add(v.family)
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


class Table:
    """The parts of the sources, and what they amount to at known sizes.

    A plain one has all of each target alone, and nothing is solved for. Of one that has a few
    owners of the catalogue, ``beside`` is what was recorded of the unit of all of them. Which
    targets are all the same as one before is ``repeated``: marks of each owner's, by what is asked.
    """

    def __init__(
        self, sources: Iterable[Source], asked: Iterable[Asked], plain: bool = False,
        beside: tuple[Sought, str] | None = None,
    ) -> None:  # fmt: skip
        self.is_plain = plain
        self.beside = beside
        self.listed: list[tuple[Source, Asked, list[Part]]] = []
        whole: set[tuple[Asked, int]] = set()
        self.sources = tuple(sources)
        self.asked = tuple(asked)
        self.given = {name for s in self.sources if not s.inside for name in s.given}
        self.forms = Forms()
        self.places: dict[Part, tuple[float, int]] = {}
        self.held: dict[tuple[int, int], Equations] = {}
        self.holding: dict[tuple[int, frozenset[Symbol]], Equations] = {}
        self.repeated: list[dict[str, str]] = []
        told = beside[0].repeated(beside[1]) if beside and not plain else None
        for i, one in enumerate(self.asked):
            marks: dict[str, str] = {}
            self.repeated.append(marks)
            for source in self.sources:
                first = first_part(source.variant, one)
                before = marks.get(source.variant.name, "")
                again = first is not None and (one, first.amount.mark) in whole
                if told:
                    again = told[i][source.variant.name][len(before)] == AGAIN
                marks[source.variant.name] = before + (AGAIN if again else FIRST)
                if first:
                    key = one, first.amount.mark
                    if source.variant.near and again:
                        continue  # this choice changes nothing here
                    alike = source.variant.near if source.inside else again
                    found = [first] if alike or plain else parts(source.variant, one)
                    self.listed.append((source, one, found))
                    whole.add(key)
                    if one == Asked("params") and source.given and not source.variant.near:
                        self.listed.append((source, one, list(_swapped(first, source))))

    @cached_property
    def alike(self) -> list[Alike]:
        """The parts, those of the same configurations together."""
        groups: dict[object, Alike] = {}
        for source, asked, found in self.listed:
            drawn = source.variant.outline
            names = tuple(sorted({*drawn.frame.symbols, *(s.name for s in drawn.equations)}))
            key = id(source.points), names
            if key not in groups:
                groups[key] = Alike(Where(source.points, names))
            groups[key].add(asked, found)
        return list(groups.values())

    def form(self, part: Part, at: Sizes) -> Terms:
        """Return a part's polynomial under those equations that hold at sizes of a source."""
        return self.forms.under(part.amount, self._holding(part.variant.outline.equations, at))

    def _holding(self, equations: Equations, at: Sizes) -> Equations:
        """Return those equations that hold at sizes of a source, the same object for the same."""
        here = id(equations), id(at)
        if here not in self.held:
            held = holding(equations, at)
            key = id(equations), frozenset(held)
            all_hold = len(held) == len(equations)
            self.held[here] = equations if all_hold else self.holding.setdefault(key, held)
        return self.held[here]

    def place(self, part: Part) -> tuple[float, int]:
        """What parts are ordered by, the plainest first."""
        if part not in self.places:
            self.places[part] = part.unlikely, self.order[part]
        return self.places[part]

    @cached_property
    def order(self) -> dict[Part, int]:
        """Which part comes after which."""
        listed = (part for _, _, found in self.listed for part in found)
        return {part: i for i, part in enumerate(listed)}

    def sizes_of(self, symbol: str) -> list[int]:
        """The sizes that a symbol is known to have, in order."""
        if self.beside:
            return self.beside[0].sizes_of(symbol)
        points = {id(s.points): s.points for s in self.sources}.values()
        return sorted({at[symbol] for several in points for _, at in several if symbol in at})

    def between(
        self, asked: Asked, meant: Sequence[Span], of_parts: Collection[int]
    ) -> Iterator[tuple[int, int, Same, Points]]:
        """Yield the number of a span with each value of what is asked for that lies in it.

        All spans are meant of what is all of a target, of anything else only those ``of_parts``.
        With the value come parts that have it under the same equations, and where they have it.
        """
        every, some = Spans(meant), Spans(meant, of_parts)
        for alike in self.alike:
            rows = alike.rows(asked)
            found = [
                *alike.grid.within(some, [i for i in rows if i not in alike.whole]),
                *alike.grid.within(every, [i for i in rows if i in alike.whole]),
            ]
            for i, j, value, held in sorted(found):
                for same in alike.same(i):
                    for n in held:
                        if same.whole or n in of_parts:
                            yield n, value, same, alike.where.points[j]

    def occurring(self, asked: Asked, low: int, high: int) -> Iterator[AmountRow]:
        """Yield models and their lines whose value is meant, each with where it stands."""
        spans = Spans([(low, high)])
        for alike in self.alike:
            rows = alike.occurring(asked)
            for i, j, value, _ in alike.grid.within(spans, rows) if rows else ():
                for part in alike.parts[i]:
                    points = alike.where.points[j]
                    there = tuple(point for point in points if part.occurs_in(point[0]))
                    if there:
                        yield AmountRow(value, part, there)

    def around(self, n: int, most: int) -> list[AmountRow]:
        """Return a row of each of the values nearest to a number, nearest first.

        Only what is whole or one line counts here: a sum could always be made up that is nearer.
        """
        plain = [(alike, rows) for alike in self.alike if (rows := alike.plain)]
        if not plain:
            return []
        known = np.unique(np.concatenate([alike.grid.floats(rows) for alike, rows in plain]))
        place = int(np.searchsorted(known, n))
        spans = Spans(list(_whole_about(known[max(place - 4 * most, 0) : place + 4 * most])))
        found: dict[int, AmountRow] = {}
        for alike, rows in plain:
            for i, j, value, _ in alike.grid.within(spans, rows):
                best = min(filter(_is_plain, alike.parts[i]), key=lambda part: part.unlikely)
                row = AmountRow(value, best, alike.where.points[j])
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


def _unlikely(row: AmountRow) -> tuple[float, int]:
    return row.part.unlikely, len({s for monomial in row.form for s, _ in monomial})


def _swapped(whole: Part, source: Source) -> Iterator[Part]:
    """Yield what an axis taken for another makes of a target whose sizes were all given."""
    at = source.all_given
    right = evaluate(whole.general, at)
    seen = set()
    for part in swapped(source.variant) if right else ():
        wrong = evaluate(part.general, at)
        key = wrong, part.said[0]
        if wrong != right and key not in seen:
            seen.add(key)
            yield part
