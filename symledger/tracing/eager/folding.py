"""Where a deeper module does more of the same: which operations of a step repeat with the depth."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from symledger.tracing.eager.live import Change
from symledger.tracing.spaces.depth import OtherAtDepth

NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")
"""The number of a layer in a dotted name."""
MOST_PLACES = 8
"""In how many places one depth may make a step longer."""


@dataclass(frozen=True)
class Insertion:
    """Before which operation so many more run in a deeper module: those before it once more."""

    place: int
    length: int


def form(change: Change) -> Hashable:
    """What is alike in all layers: what runs where, and how many storages it makes and ends."""
    kinds = (tuple(s.kind for s in change.born), tuple(sorted(s.kind for s in change.gone)))
    return change.way, change.operation, NUMBER.sub("*", change.path), kinds


def forms(changes: Sequence[Change]) -> list[Hashable]:
    """Return what is alike in all layers, of every operation."""
    return [form(c) for c in changes]


def insertions(shallow: Sequence[Hashable], deep: Sequence[Hashable]) -> list[Insertion]:
    """Say where a deeper module runs more of what it ran just before.

    Raises:
        OtherAtDepth: it differs otherwise.
    """
    found = _inserted(shallow, deep, 0, 0, MOST_PLACES)
    if found is None:
        raise OtherAtDepth("what is in memory when does not grow with the depth by equal rounds.")
    return found


def _inserted(
    shallow: Sequence[Hashable], deep: Sequence[Hashable], i: int, j: int, places: int
) -> list[Insertion] | None:  # fmt: skip
    while i < len(shallow) and j < len(deep) and shallow[i] == deep[j]:
        i, j = i + 1, j + 1
    more = len(deep) - j - (len(shallow) - i)
    if more == 0:
        return [] if i == len(shallow) else None
    if places == 0:
        return None
    for length in range(min(more, i), 0, -1):
        again = deep[j : j + length]
        if list(shallow[i - length : i]) != list(again):
            continue
        if length < more and not _goes_on(shallow, deep, i, j + length):
            continue
        rest = _inserted(shallow, deep, i, j + length, places - 1)
        if rest is not None:
            return [Insertion(i, length), *rest]
    return None


def _goes_on(shallow: Sequence[Hashable], deep: Sequence[Hashable], i: int, j: int) -> bool:
    return i < len(shallow) and j < len(deep) and shallow[i] == deep[j]
