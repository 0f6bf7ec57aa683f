"""The search: every amount that gives the number, exactly or by a common mistake, ranked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from symledger import algebra
from symledger.explain.match import NEAR, Match, Wanted, alike, made_of, wanted_of
from symledger.explain.number import Number
from symledger.explain.readings import readings
from symledger.explain.sources import Points
from symledger.explain.table import Same, Table
from symledger.explain.unknown import solved

ASIDE, LINEAR, CHANCE = 2, 2, 2
"""What adds to a rank: each size that was not set where others were; that the formula is as good as
any number; that some width of a layer would give any number that is as coarse."""


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


class Found(NamedTuple):
    """What gives a number, the most plausible first, and how many more there are at least."""

    matches: list[Match]
    omitted: int = 0


def search(table: Table, number: Number) -> Found:
    """Return everything that gives a number.

    Very much gives a rounded one: of that, only what comes near the most plausible is worked out.
    """
    hits = list(_known(table, number))
    if number.exact:
        exactly = [_at_known(table, hit) for hit in hits]
        return Found(_ranked(table, number, [*exactly, *solved(table, number)]))
    keys = [hit.alike for hit in hits]
    together: dict[object, list[Hit]] = {}
    for key, hit in zip(keys, hits, strict=True):
        together.setdefault(key, []).append(hit)
    bounds = {key: _bound(several, number) for key, several in together.items()}
    most = inf
    if bounds:
        best = min(bounds, key=lambda key: bounds[key])
        plainest = _ranked(table, number, [_at_known(table, hit) for hit in together[best]])[0]
        most = plainest.rank + NEAR
    further = list(solved(table, number, most))
    near = {match.alike for match in further}
    kept = {key for key, bound in bounds.items() if bound <= most or key in near}
    known = [_at_known(table, h) for key, h in zip(keys, hits, strict=True) if key in kept]
    return Found(_ranked(table, number, [*known, *further]), len(bounds) - len(kept))


def _bound(hits: Sequence[Hit], number: Number) -> float:
    """Return a rank that no match of some hits is below."""
    least = min([hit.rank for hit in hits]) + min([hit.same.unlikely for hit in hits])
    return least + CHANCE * (number.coarse and not any(hit.same.of_a_model for hit in hits))


def _ranked(table: Table, number: Number, matches: Iterable[Match]) -> list[Match]:
    """Put together what is the same match, and return the most plausible first."""
    found: dict[object, Match] = {}
    for match in matches:
        _put(found, match)
    for match in found.values():
        if len(match.parts) > 1:
            match.parts.sort(key=table.place)
        match.rank += match.parts[0].unlikely + _several(match, table.given)
        match.rank += CHANCE * (number.coarse and not match.parts[0].variant.is_model)
    return sorted(found.values(), key=lambda match: (match.rank, len(match.sizes)))


def _several(match: Match, given: Collection[str]) -> int:
    """What its sizes add to a rank: few say more, what was set should occur, d is any number."""
    free = [name for name in match.sizes if name not in given]
    alone = 0 if match.parts[0].variant.is_model else max(len(free) - 1, 0)
    degree = max(map(algebra.degree, match.form))
    aside = ASIDE * (len(free) + (len(free) == len(match.sizes))) if given else 0
    return alone + aside + LINEAR * (degree < 2)


def _put(found: dict[object, Match], match: Match) -> None:
    """Add a match; one of the same formula at the same sizes is the same match."""
    key = id(match.form), tuple(match.sizes.items()), match.alike
    same = found.setdefault(key, match)
    if same is not match:
        same.rank = min(same.rank, match.rank)
        same.parts += [part for part in match.parts if part not in same.parts]
        same.points += match.points


def _known(table: Table, number: Number) -> Iterator[Hit]:
    """Yield what gives the number at the sizes of a known configuration."""
    for asked in table.asked:
        wanted = [
            wanted for reading in readings(number.unit, asked.quantity)
            for wanted in wanted_of(table, number, reading)
        ]  # fmt: skip
        plain = [w for w in wanted if not w.reading.near]
        spans = [(w.low, w.high) for w in plain]
        near = [(w.low, w.high) for w in wanted if w.reading.near]
        for value, same, everywhere in table.between(asked, spans, near):
            for w in wanted if same.whole else plain:
                if w.low <= value <= w.high:
                    points = everywhere
                    if w.often:
                        points = tuple(p for p in points if p[1].get(w.reading.symbol) == w.often)
                    if points:
                        yield Hit(w.rank + same.doubt(points), same, points, w, value)


def _at_known(table: Table, hit: Hit) -> Match:
    """Return what parts are at the sizes of known configurations, which they cannot tell apart."""
    (_, at), part = hit.points[0], hit.same.parts[0]
    match = made_of(table, part, table.form(part, at), at, hit.wanted, hit.value)
    match.parts = list(hit.same.parts)
    match.points = [hit.points]
    match.rank = hit.rank
    return match
