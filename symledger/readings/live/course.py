"""How much of each kind is alive, operation by operation? Both passes at some sizes, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import prod

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.readings.live.held import BACKWARD, Place, Step
from symledger.readings.live.kinds import KINDS, Alive
from symledger.readings.live.moments import size

Amounts = dict[str, Terms]
"""Of each kind, what is alive: a number, or linear in which application of a body it is."""
Indices = dict[Symbol, int]
NUMBER = {algebra.ONE}
"""The terms of what is a number, as most is."""


@dataclass(frozen=True)
class Sample:
    """One operation: which, and the bytes of each kind that are alive while it runs."""

    step: Step
    amounts: Mapping[str, int]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.amounts.values())


def course(alive: Alive, at: Mapping[Symbol, int]) -> Iterator[Sample]:
    """Yield every operation of the passes, those of each application of repeated bodies too."""
    steps = [pair for pair in zip(alive.timeline.steps, _alive(alive, at), strict=True)
             if pair[0].measured]  # fmt: skip
    for (step, amounts), indices in _applied(steps, 0, at, {}):
        yield Sample(step, {kind: _value(p, indices) for kind, p in amounts.items()})


def _alive(alive: Alive, at: Mapping[Symbol, int]) -> Iterator[Amounts]:
    """Yield what is alive at every step of the walk, by kind."""
    timeline = alive.timeline
    changes: list[list[tuple[str, int, Terms]]] = [[] for _ in range(timeline.now + 1)]
    known = {s: algebra.constant(n) for s, n in at.items()}
    sizes: dict[frozenset[object], Terms] = {}
    for held in timeline.held:
        if held.stored:
            terms = size(held, alive.bytes_of)
            key = frozenset(terms.items())
            if key not in sizes:
                sizes[key] = algebra.substitute(terms, known)
            kind = alive.kind(held)
            changes[held.born].append((kind, 1, sizes[key]))
            changes[min(held.last + 1, timeline.now)].append((kind, -1, sizes[key]))
    now: Amounts = {kind: {} for kind in KINDS}
    for change in changes[:-1]:
        if change:
            now = dict(now)
            for kind, sign, own in change:
                now[kind] = algebra.combine([(1, now[kind]), (sign, own)])
        yield now


Pair = tuple[Step, Amounts]


def _applied(
    steps: Sequence[Pair], depth: int, at: Mapping[Symbol, int], indices: Indices
) -> Iterator[tuple[Pair, Indices]]:
    """Yield steps of the walk as often as they are run: the i-th application for every i."""
    def place(pair: Pair) -> Place | None:
        places = pair[0].places
        return places[depth] if depth < len(places) else None

    for around, group in groupby(steps, place):
        own = list(group)
        if around is None:
            yield from ((pair, indices) for pair in own)
        elif around.index is None:
            yield from _applied(own, depth + 1, at, indices)
        else:
            between = range(3, int(algebra.value(around.times, at) or 0) - 1)
            backward = own[0][0].way == BACKWARD
            for i in reversed(between) if backward else between:
                yield from _applied(own, depth + 1, at, {**indices, around.index: i})


def _value(polynomial: Terms, indices: Indices) -> int:
    if not polynomial or polynomial.keys() == NUMBER:
        return int(polynomial.get(algebra.ONE, 0))
    return int(sum(c * prod(indices[s] ** n for s, n in m) for m, c in polynomial.items()))
