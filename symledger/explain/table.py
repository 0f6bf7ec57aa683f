"""Every amount of every source at every known configuration, to be looked up by its value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from symledger import algebra
from symledger.algebra import Terms
from symledger.explain.lines import LINE, WHOLE
from symledger.explain.outline import Sizes
from symledger.explain.parts import Part, parts, swapped
from symledger.explain.readings import Asked
from symledger.explain.sources import Points, Source, evaluate
from symledger.explain.usual import Known


class Row(NamedTuple):
    """An amount at known sizes."""

    value: int
    part: Part
    sizes: Sizes
    known: Known

    @property
    def form(self) -> Terms:
        """The polynomial under those equations that hold at these sizes."""
        return form(self.part, self.sizes)


def form(part: Part, at: Sizes) -> Terms:
    """Return a part's polynomial under those equations that hold at these sizes."""
    equations = part.variant.outline.equations
    given = {s: p for s, p in equations.items() if at.get(s.name) == evaluate(p, at) is not None}
    return algebra.substitute(part.general, given)


class Table:
    """The parts of the sources, and what they amount to at known sizes."""

    def __init__(self, sources: Iterable[Source], asked: Iterable[Asked]) -> None:
        self.parts: list[tuple[Part, Source]] = []
        whole: set[tuple[Asked, frozenset[object]]] = set()
        sources = tuple(sources)
        self.given = {name for s in sources if not s.inside for name in s.given}
        for one in asked:
            for source in sources:
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
    def by_value(self) -> dict[int, list[tuple[Part, Points]]]:
        """The parts of each value, with the configurations at which they have it."""
        found: dict[int, list[tuple[Part, Points]]] = {}
        groups: dict[tuple[int, tuple[str, ...]], dict[tuple[int, ...], Points]] = {}
        values: dict[tuple[int, tuple[int, ...]], int | Fraction | None] = {}
        for part, source in self.parts:
            names = tuple(sorted({s.name for monomial in part.general for s, _ in monomial}))
            here = id(source.points), names
            if here not in groups:
                groups[here] = _grouped(source.points, names)
            for sizes, points in groups[here].items():
                form = id(part.general), sizes
                if form not in values:
                    values[form] = evaluate(part.general, points[0][1])
                value = values[form]
                if value is not None and value > 0 and value.denominator == 1:
                    found.setdefault(int(value), []).append((part, points))
        return found

    def rows(self, n: int) -> Iterator[Row]:
        """Yield every amount of this value."""
        for part, points in self.by_value.get(n, ()):
            for known, at in points:
                yield Row(n, part, at, known)

    def sizes_of(self, symbol: str) -> list[int]:
        """The sizes that a symbol is known to have, in order."""
        sources = {id(source): source for _, source in self.parts}.values()
        return sorted({at[symbol] for s in sources for _, at in s.points if symbol in at})

    @cached_property
    def values(self) -> list[int]:
        """All values, in order."""
        return sorted(self.by_value)

    def between(self, low: int, high: int) -> Iterator[Row]:
        """Yield the rows whose value lies between two numbers, these included."""
        if low == high:
            yield from self.rows(low)
            return
        for n in self.values[bisect_left(self.values, low) : bisect_right(self.values, high)]:
            yield from self.rows(n)

    def around(self, n: int, most: int) -> list[Row]:
        """Return a row of each of the values nearest to a number, nearest first.

        Only what is whole or one line counts here: a sum could always be made up that is nearer.
        """
        whole = (WHOLE, LINE)
        plain = [v for v in self.values if any(p.kind in whole for p, _ in self.by_value[v])]
        i = bisect_left(plain, n)
        chosen = sorted(plain[max(i - most, 0) : i + most], key=lambda value: abs(value - n))[:most]
        return [min(self.rows(value), key=_unlikely) for value in chosen]


def _grouped(points: Points, names: Sequence[str]) -> dict[tuple[int, ...], Points]:
    """Return those points that have sizes of these names, by these sizes."""
    found: dict[tuple[int, ...], list[tuple[Known, Sizes]]] = {}
    for known, at in points:
        sizes = tuple([at[name] for name in names if name in at])
        if len(sizes) == len(names):
            found.setdefault(sizes, []).append((known, at))
    return {sizes: tuple(alike) for sizes, alike in found.items()}


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
