"""What gives the number at the sizes of known configurations: looked up, not yet worked out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from symledger.explain.index.readings import readings
from symledger.explain.index.sources import Points
from symledger.explain.index.table import Same, Table
from symledger.explain.match import Match, Wanted, alike, made_of, own_sizes, wanted_of
from symledger.explain.number import Number


class Hit(NamedTuple):
    """Parts that give the number at known sizes, which is not yet worked out.

    ``rank`` is what its reading and its sizes add to the rank of a match.
    """

    rank: float
    same: Same
    points: Points
    wanted: Wanted
    value: int

    @property
    def alike(self) -> object:
        """What only those can be one match with that have it too."""
        wanted, same = self.wanted, self.same
        return alike(self.value, wanted.reading, wanted.mistaken, same.asked, same.near)

    def told_apart(self, table: Table) -> object:
        """What tells it from others that give the number alike: its formula and the sizes in it."""
        (_, at), part = self.points[0], self.same.parts[0]
        form = table.form(part, at)
        return id(form), *own_sizes(table, form, at, self.wanted).values()


def looked_up(table: Table, number: Number) -> Iterator[Hit]:
    """Yield what gives the number at the sizes of a known configuration."""
    for asked in table.asked:
        wanted = [
            wanted for reading in readings(number.unit, asked.quantity)
            for wanted in wanted_of(table, number, reading)
        ]  # fmt: skip
        ranks = [w.rank for w in wanted]
        spans = [(w.low, w.high) for w in wanted]
        of_parts = {n for n, w in enumerate(wanted) if not w.reading.near}
        for n, value, same, points in table.between(asked, spans, of_parts):
            w = wanted[n]
            if w.often:
                points = tuple(p for p in points if p[1].get(w.reading.symbol) == w.often)
            if points:
                yield Hit(ranks[n] + same.doubt(points), same, points, w, value)


def at_known(table: Table, hit: Hit) -> Match:
    """Return what parts are at the sizes of known configurations, which they cannot tell apart."""
    (_, at), part = hit.points[0], hit.same.parts[0]
    match = made_of(table, part, table.form(part, at), at, hit.wanted, hit.value)
    match.parts = list(hit.same.parts)
    match.points = [hit.points]
    match.rank = hit.rank
    return match
