"""Which match is how plausible, once those that are the same are together."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from symledger import algebra
from symledger.explain.index.table import Table
from symledger.explain.match import Match
from symledger.explain.number import Number

ASIDE, LINEAR, CHANCE = 2, 2, 2
"""What adds to a rank: each size that was not set where others were; that the formula is as good as
any number; that some width of a layer would give any number that is as coarse."""


def ranked(table: Table, number: Number, matches: Iterable[Match]) -> list[Match]:
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
    key = match.told_apart, match.alike
    same = found.setdefault(key, match)
    if same is not match:
        same.rank = min(same.rank, match.rank)
        same.parts += [part for part in match.parts if part not in same.parts]
        same.points += match.points
