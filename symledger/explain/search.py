"""The search: every amount that gives the number, exactly or by a common mistake, ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple

from symledger.explain.hits import Hit, at_known, looked_up
from symledger.explain.index.table import Table
from symledger.explain.match import NEAR, Match
from symledger.explain.number import Number
from symledger.explain.ranking import CHANCE, ranked
from symledger.explain.unknown import solved

MOST, SHOWN = 6, 1
"""How many matches are shown, half as many mistakes, and how far in rank from the best match of a
rounded number others are, but mistakes."""


class Found(NamedTuple):
    """What gives a number, the most plausible first, and how many more there are at least."""

    matches: list[Match]
    omitted: int = 0


@dataclass
class Alike:
    """What gives a number alike: hits, and matches at sizes that had to be found.

    No other ones can be the same match as one of these.
    """

    hits: list[Hit] = field(default_factory=list)
    further: list[Match] = field(default_factory=list)

    @property
    def mistake(self) -> bool:
        """Whether the number is something that was misread."""
        return self.hits[0].wanted.mistake if self.hits else self.further[0].mistake

    @property
    def near(self) -> bool:
        """Whether these are a mistake, or not what was asked about."""
        return self.mistake or (self.hits[0].same.near if self.hits else self.further[0].near)

    def bound(self, number: Number) -> float:
        """Return a rank that none of these is below."""
        parts = [part for match in self.further for part in match.parts]
        least = min([hit.rank for hit in self.hits] + [match.rank for match in self.further])
        plain = [hit.same.unlikely for hit in self.hits] + [part.unlikely for part in parts]
        of_a_model = any(hit.same.of_a_model for hit in self.hits) or any(
            part.variant.is_model for part in parts
        )
        return least + min(plain) + CHANCE * (number.coarse and not of_a_model)

    def ranked(self, table: Table, number: Number) -> list[Match]:
        """Return the matches, worked out, the most plausible first."""
        copied = [replace(match, parts=[*match.parts]) for match in self.further]
        return ranked(table, number, [*(at_known(table, hit) for hit in self.hits), *copied])

    def count(self, table: Table) -> int:
        """Return how many matches these are, without working them out."""
        hits = {hit.told_apart(table) for hit in self.hits}
        return len(hits | {match.told_apart for match in self.further})


def search(table: Table, number: Number) -> Found:
    """Return everything that gives a number.

    Very much gives a rounded one: of that, only what may be shown is worked out. What is equally
    plausible stands in the order of the table's parts, whatever else the table has.
    """
    hits = sorted(looked_up(table, number), key=lambda hit: table.order[hit.same.parts[0]])
    if number.exact:
        known = [at_known(table, hit) for hit in hits]
        unknown = [] if table.is_plain else solved(table, number)
        return Found(ranked(table, number, [*known, *unknown]))
    together: dict[object, Alike] = {}
    keys = [hit.alike for hit in hits]
    for key, hit in zip(keys, hits, strict=True):
        together.setdefault(key, Alike()).hits.append(hit)
    bounds = {key: alike.bound(number) for key, alike in together.items()}
    limit = NEAR + min((
        match.rank for key in sorted(bounds, key=bounds.__getitem__)[:1]
        for match in together[key].ranked(table, number)
    ), default=inf)  # fmt: skip
    further = [] if table.is_plain else list(solved(table, number, limit))
    for match in further:
        together.setdefault(match.alike, Alike()).further.append(match)
    bounds |= {key: alike.bound(number) for key, alike in together.items() if alike.further}
    shown = _foremost(table, number, together, bounds)
    omitted = sum([
        alike.count(table) if alike.further or bounds[key] <= limit else 1
        for key, alike in together.items() if key not in shown
    ])  # fmt: skip
    matches = [at_known(table, h) for key, h in zip(keys, hits, strict=True) if key in shown]
    matches += [match for match in further if match.alike in shown]
    return Found(ranked(table, number, matches), omitted)


def _foremost(
    table: Table, number: Number, together: Mapping[object, Alike], bounds: Mapping[object, float]
) -> set[object]:
    """Return what holds the matches of a rounded number that may be shown, and the best of all.

    The others are not worked out: none ranks below its bound, and enough matches rank below that.
    """
    best = inf
    plain, mistakes, never = _Foremost(SHOWN, MOST), _Foremost(NEAR, MOST // 2), _Foremost(0, 1)
    shown: set[object] = set()
    for key in sorted(bounds, key=bounds.__getitem__):
        alike = together[key]
        kind = mistakes if alike.mistake else never if alike.near else plain
        if bounds[key] <= min(best + kind.far, kind.last):
            shown.add(key)
            ranks = [match.rank for match in alike.ranked(table, number)]
            kind.add(ranks)
            best = min(best, *ranks)
    return shown


@dataclass
class _Foremost:
    """The ranks of matches of one kind: so many are shown, so far in rank from the best of all."""

    far: float
    most: int
    ranks: list[float] = field(default_factory=list)

    def add(self, ranks: Iterable[float]) -> None:
        """Add ranks, of which only the least are kept."""
        self.ranks = sorted([*self.ranks, *ranks])[: self.most]

    @property
    def last(self) -> float:
        """What ranks below this may be among those that are shown."""
        return self.ranks[-1] if len(self.ranks) == self.most else inf
