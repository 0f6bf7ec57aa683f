"""What is alive at every step of a pass, and the steps that may be the largest.

Lemma. Let a body be applied n ≥ 4 times, and look at one of its steps in application i, where
3 ≤ i ≤ n - 2. Every storage of the timeline is alive there or not, whatever i and n: lifetimes are
said in steps of the walk, in which the second application and the last but one stand before and
behind the i-th; what those alike read is read by these too, so that it makes no difference whether
there are any. So the bytes alive are the sum of number · size over one set of storages. Of these
numbers i - 3 and n - 2 - i are the only ones that depend on i, and no number is a product of two
such: what is alike is not looked into. So the sum is a polynomial q(i) that is linear in i, and
largest at an end of whatever range. If q(1) and q(n) are no more than what is alive at some moments
of first and last applications or outside, then so is q(i) for every i between, and so is what is
alive in the second application or in the last but one, where that is at most q(2) or q(n - 1). ∎

Where this does not show it, q is looked at at i = 3 and i = n - 2 beside the others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from sympy import Expr, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.comparing import Known, is_at_most, largest
from symledger.readings.live.held import GRADIENT, LAST_BUT_ONE, SECOND, Held, Place, Prices, Step
from symledger.readings.live.timeline import Timeline

Ends = tuple[tuple[Symbol, Terms], ...]
"""Which application of each repeated body a step is looked at in, where it is neither end."""
ONE, TWO, THREE = map(algebra.constant, (1, 2, 3))
less = algebra.subtract


@dataclass(frozen=True)
class Moment:
    """A step at which the bytes alive may be the largest, and how many those are."""

    number: int
    step: Step
    terms: Terms
    ends: Ends = ()

    @property
    def applications(self) -> tuple[tuple[Place, str], ...]:
        """Which application of each body around it is meant: ``last``, ``3``, ``L - 2``."""
        numbers = {i: algebra.canonical(n) for i, n in self.ends}
        return tuple(
            (p, numbers[p.index] if p.index is not None else p.name) for p in self.step.places
        )


def alive(timeline: Timeline, bytes_of: Prices) -> Iterator[Terms]:
    """Yield the bytes alive at every step, in order; of the i-th application as it is with i."""
    changes: list[list[tuple[int, Terms]]] = [[] for _ in range(timeline.now + 1)]
    for held in timeline.held:
        if held.stored:
            own = size(held, bytes_of)
            changes[held.born].append((1, own))
            changes[min(held.last + 1, timeline.now)].append((-1, own))
    now: Terms = {}
    for change in changes[:-1]:
        if change:
            now = algebra.combine([(1, now), *change])
        yield now


def size(held: Held, bytes_of: Prices) -> Terms:
    """Return the bytes of a storage, all its copies."""
    each = bytes_of[GRADIENT if held.lasting else held.tensor.storage]
    return algebra.multiply(held.number, _bytes(held.tensor.size, each))


@cache
def _bytes(elements: Expr, each: Expr) -> Terms:
    return algebra.terms(elements * each)


def moments(
    timeline: Timeline, bytes_of: Prices, ways: Iterable[str]
) -> tuple[Moment, ...]:
    """Return the moments of some passes of which none is proven to be no larger than another.

    They are in the order of time. For all others that is proven: by the lemma, or by comparing.
    """
    asked = set(ways)
    steps = zip(timeline.steps, alive(timeline, bytes_of), strict=True)
    every = [
        Moment(number, step, terms) for number, (step, terms) in enumerate(steps)
        if step.measured and step.way in asked
    ]  # fmt: skip
    outer = largest((m.terms, m) for m in every if not _between(m.step))
    found = largest([*outer, *((m.terms, m) for m in _further(every, Known(p for p, _ in outer)))])
    return tuple(sorted((m for _, m in found), key=lambda m: m.number))


def _between(step: Step) -> list[Place]:
    """The bodies around a step of which this is neither the first nor the last application."""
    return [p for p in step.places if p.index is not None or p.name in (SECOND, LAST_BUT_ONE)]


def _further(every: list[Moment], outer: Known) -> Iterator[Moment]:
    """Yield what may be larger than the first and last applications and what is outside."""
    lines: dict[Hashable, Line] = {}
    for m in every:
        places = _between(m.step)
        if len(places) == 1 and places[0].index is not None:
            lines[_row(m.step, places[0])] = Line(m.terms, places[0].index, places[0].times)
    covered = {
        row for row, line in lines.items()
        if all(outer.cover(line.at(end)) for end in (ONE, line.times))
    }  # fmt: skip
    for m in every:
        places = _between(m.step)
        row = _row(m.step, places[0]) if len(places) == 1 else None
        if places and not (row in covered and lines[row].holds(m.terms, places[0])):
            yield from _at_ends(m, outer)


def _row(step: Step, between: Place) -> Hashable:
    """What is the same for one step in every application of a body."""
    return step.made, between.call, tuple(p for p in step.places if p is not between)


@dataclass(frozen=True)
class Line:
    """What is alive at a step in application ``index`` of so many: linear in that."""

    terms: Terms
    index: Symbol
    times: Terms

    def at(self, number: Terms) -> Terms:
        """What it comes to for some application."""
        return algebra.substitute(self.terms, {self.index: number})

    def holds(self, terms: Terms, place: Place) -> bool:
        """Whether what is alive in an application lies on the line, or below."""
        if place.index is not None:
            return True
        last_but_one = algebra.subtract(self.times, ONE)
        return is_at_most(terms, self.at(TWO if place.name == SECOND else last_but_one))


def _at_ends(m: Moment, outer: Known) -> Iterator[Moment]:
    """Yield a step of the i-th application at both ends of i, those left out that are covered."""
    found: list[tuple[Terms, Ends]] = [(m.terms, ())]
    for place in m.step.places:
        if place.index is not None:
            line = Line(m.terms, place.index, place.times)
            ends = ((TWO, THREE), (less(line.times, ONE), less(line.times, TWO)))
            found = [
                (algebra.substitute(p, {place.index: beyond}), (*at, (place.index, end)))
                for p, at in found for beyond, end in ends
            ]  # fmt: skip
    for p, at in found:
        if not outer.cover(p):
            yield replace(m, terms=algebra.substitute(m.terms, dict(at)), ends=at)
