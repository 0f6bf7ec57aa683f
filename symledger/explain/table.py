"""Every amount of every source at every known configuration, to be looked up by its value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from symledger import algebra
from symledger.algebra import Terms
from symledger.explain.parts import LINE, WHOLE, Part, parts, swapped
from symledger.explain.sources import Sizes, Source, evaluate
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
    equations = part.variant.account.assumed.equations
    given = {s: p for s, p in equations.items() if at.get(s.name) == evaluate(p, at) is not None}
    return algebra.substitute(part.general, given)


class Table:
    """The parts of the sources, and what they amount to at known sizes."""

    def __init__(self, sources: Iterable[Source], quantities: Iterable[str]) -> None:
        self.parts: list[tuple[Part, Source]] = []
        whole: set[tuple[str, frozenset[object]]] = set()
        sources = tuple(sources)
        self.given = {name for s in sources if not s.inside for name in s.given}
        for quantity in quantities:
            for source in sources:
                found = list(parts(source.variant, quantity))
                if found:
                    key = quantity, frozenset(found[0].general.items())
                    if source.variant.near and key in whole:
                        continue  # this choice changes nothing here
                    alike = source.variant.near if source.inside else key in whole
                    self.parts += [(p, source) for p in (found[:1] if alike else found)]
                    whole.add(key)
                    if quantity == "params" and source.given and not source.variant.near:
                        self.parts += _swapped(found[0], source)

    @cached_property
    def by_value(self) -> dict[int, list[Row]]:
        """The rows of each value."""
        found: dict[int, list[Row]] = {}
        for part, source in self.parts:
            for known, at in source.points:
                value = evaluate(part.general, at)
                if value is not None and value > 0 and value.denominator == 1:
                    found.setdefault(int(value), []).append(Row(int(value), part, at, known))
        return found

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
            yield from self.by_value.get(low, ())
            return
        for n in self.values[bisect_left(self.values, low) : bisect_right(self.values, high)]:
            yield from self.by_value[n]

    def around(self, n: int, most: int) -> list[Row]:
        """Return a row of each of the values nearest to a number, nearest first.

        Only what is whole or one line counts here: a sum could always be made up that is nearer.
        """
        whole = (WHOLE, LINE)
        plain = [v for v in self.values if any(r.part.kind in whole for r in self.by_value[v])]
        i = bisect_left(plain, n)
        chosen = sorted(plain[max(i - most, 0) : i + most], key=lambda value: abs(value - n))[:most]
        return [min(self.by_value[value], key=_unlikely) for value in chosen]


def _unlikely(row: Row) -> tuple[float, int]:
    return row.part.unlikely, len({s for monomial in row.form for s, _ in monomial})


def _swapped(whole: Part, source: Source) -> Iterator[tuple[Part, Source]]:
    """Yield what an axis taken for another makes of a target whose sizes were all given."""
    at = source.complete(source.given)
    right = evaluate(whole.general, at)
    seen = set()
    for part in swapped(source.variant) if right else ():
        wrong = evaluate(part.general, at)
        key = wrong, part.said.partition(" taken")[0]
        if wrong != right and key not in seen:
            seen.add(key)
            yield part, source
