"""Every amount of every source at every known configuration, to be looked up by its value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import nan
from operator import itemgetter, mul
from typing import Any, NamedTuple

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

UNKNOWN = nan
"""A value that a symbol without a size leaves open; it equals nothing, and nor do its sums."""


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
class Alike:
    """Parts of one amount whose sizes are known at the same configurations."""

    amount: Sum
    where: Where
    parts: list[Part]


class Table:
    """The parts of the sources, and what they amount to at known sizes."""

    def __init__(self, sources: Iterable[Source], asked: Iterable[Asked]) -> None:
        self.parts: list[tuple[Part, Source]] = []
        whole: set[tuple[Asked, frozenset[object]]] = set()
        self.sources = tuple(sources)
        self.asked = tuple(asked)
        self.given = {name for s in self.sources if not s.inside for name in s.given}
        self.holding: dict[tuple[int, int], dict[Symbol, Terms]] = {}
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
    def alike(self) -> dict[Asked, list[Alike]]:
        """The parts by what they are asked for, those of one amount together."""
        places: dict[tuple[int, tuple[str, ...]], Where] = {}
        of: dict[int, Where] = {}
        found: dict[tuple[Asked, int, int], Alike] = {}
        for part, source in self.parts:
            where = of.get(id(source))
            if where is None:
                drawn = source.variant.outline
                names = tuple(sorted({*drawn.frame.symbols, *(s.name for s in drawn.equations)}))
                key = id(source.points), names
                if key not in places:
                    places[key] = Where(source.points, names)
                where = of[id(source)] = places[key]
            this = part.asked, id(part.amount), id(where)
            if this in found:
                found[this].parts.append(part)
            else:
                found[this] = Alike(part.amount, where, [part])
        by: dict[Asked, list[Alike]] = {asked: [] for asked in self.asked}
        for (asked, *_), alike in found.items():
            by[asked].append(alike)
        return by

    @cached_property
    def values(self) -> Values:
        """What sums are at known sizes."""
        return Values()

    def form(self, part: Part, at: Sizes) -> Terms:
        """Return a part's polynomial under those equations that hold at sizes of a source."""
        equations = part.variant.outline.equations
        here = id(equations), id(at)
        given = self.holding.get(here)
        if given is None:
            given = self.holding[here] = holding(equations, at)
        key = id(part.amount), id(equations), frozenset(given)
        if key not in self.forms:
            self.forms[key] = algebra.substitute(part.general, given)
        return self.forms[key]

    def sizes_of(self, symbol: str) -> list[int]:
        """The sizes that a symbol is known to have, in order."""
        points = {id(s.points): s.points for s in self.sources}.values()
        return sorted({at[symbol] for several in points for _, at in several if symbol in at})

    def between(
        self, asked: Asked, meant: Sequence[tuple[int, int]], plain: bool = False
    ) -> Iterator[Row]:
        """Yield the rows of what is asked for whose value is meant, the ends included.

        Only those of models and their lines, as they are by default, where they shall be ``plain``.
        """
        exact = frozenset(low for low, high in meant if low == high)
        spans = _spans(meant) if any(low < high for low, high in meant) else None
        least, most = min(low for low, _ in meant), max(high for _, high in meant)
        for alike in self.alike[asked]:
            chosen = [p for p in alike.parts if p.occurs] if plain else alike.parts
            if not chosen:
                continue
            values = self.values.of(alike.amount, alike.where)
            if spans is None and exact.isdisjoint(values):
                continue
            for i, value in enumerate(values):
                if spans is not None and not least <= value <= most:
                    continue
                if value in exact if spans is None else _inside(value, spans):
                    n = _whole(value)
                    for part in chosen if n else ():
                        yield Row(n, part, alike.where.points[i])

    def around(self, n: int, most: int) -> list[Row]:
        """Return a row of each of the values nearest to a number, nearest first.

        Only what is whole or one line counts here: a sum could always be made up that is nearer.
        """
        plain: dict[int, list[Row]] = {}
        for part, points, value in self._plain():
            plain.setdefault(value, []).append(Row(value, part, points))
        values = sorted(plain)
        i = bisect_left(values, n)
        near = sorted(values[max(i - most, 0) : i + most], key=lambda value: abs(value - n))
        return [min(plain[value], key=_unlikely) for value in near[:most]]

    def _plain(self) -> Iterator[tuple[Part, Points, int]]:
        for several in self.alike.values():
            for alike in several:
                chosen = [p for p in alike.parts if p.kind in (WHOLE, LINE)]
                if chosen:
                    best = min(chosen, key=lambda part: part.unlikely)
                    for i, value in enumerate(self.values.of(alike.amount, alike.where)):
                        if n := _whole(value):
                            yield best, alike.where.points[i], n


class Where:
    """The known configurations of a source, those of which it sees the same sizes together."""

    def __init__(self, points: Points, names: Sequence[str]) -> None:
        found: dict[tuple[int | None, ...], list[tuple[Known, Sizes]]] = {}
        for known, at in points:
            found.setdefault(tuple([at.get(name) for name in names]), []).append((known, at))
        self.points = [tuple(alike) for alike in found.values()]
        self.sizes = [alike[0][1] for alike in self.points]


class Values:
    """The values of sums, each polynomial worked out once for the same sizes."""

    def __init__(self) -> None:
        self.at: dict[tuple[int, int], list[Any]] = {}
        self.found: dict[int, dict[object, int | Fraction | float]] = {}

    def of(self, amount: Sum, where: Where) -> list[Any]:
        """Return the value at each place: a number, or UNKNOWN."""
        pieces = [self.polynomial(p, where) for _, p in amount.pieces]
        often = [n for n, _ in amount.pieces]
        if len(pieces) == 1:
            return pieces[0] if often == [1] else [often[0] * v for v in pieces[0]]
        return [sum(map(mul, often, values)) for values in zip(*pieces, strict=True)]

    def polynomial(self, p: Terms, where: Where) -> list[Any]:
        """Return the values of a polynomial."""
        key = id(p), id(where)
        if key not in self.at:
            names = sorted({s.name for monomial in p for s, _ in monomial})
            known = self.found.setdefault(id(p), {})
            self.at[key] = [_value(p, at, names, known) for at in where.sizes]
        return self.at[key]


def _value(p: Terms, at: Sizes, names: Sequence[str], known: dict[object, Any]) -> Any:
    try:
        sizes = itemgetter(*names)(at) if names else ()
    except KeyError:
        return UNKNOWN
    if sizes not in known:
        known[sizes] = evaluate(p, at)
    return known[sizes]


def _whole(value: Any) -> int:
    """Return a value as a whole number, 0 where it is none that is positive."""
    whole = value is not UNKNOWN and value == value and value > 0 and value.denominator == 1
    return int(value) if whole else 0


def _spans(meant: Iterable[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Return where spans begin and end, those that overlap made one."""
    begins: list[int] = []
    ends: list[int] = []
    for low, high in sorted(meant):
        if ends and low <= ends[-1]:
            ends[-1] = max(ends[-1], high)
        else:
            begins.append(low)
            ends.append(high)
    return begins, ends


def _inside(value: Any, spans: tuple[list[int], list[int]]) -> bool:
    begins, ends = spans
    i = bisect_right(begins, value) - 1
    return i >= 0 and bool(value <= ends[i])


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
