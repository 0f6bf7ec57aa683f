"""What is alive at every step of a pass, and the steps that may be the largest.

Lemma. Let a body be applied n ≥ 4 times, and look at one of its steps in application i, where
3 ≤ i ≤ n - 2. Every storage of the timeline is alive there or not, whatever i and n: lifetimes are
said in steps of the walk, in which the second application and the last but one stand before and
behind the i-th; what those alike read is read by these too, so that it makes no difference whether
there are any. So the bytes alive are the sum of number · size over one set of storages. Of these
numbers i - 3 and n - 2 - i are the only ones that depend on i, and no number is a product of two
such: what is alike is not looked into. So the sum is linear in i, and largest at an end, i = 3 or
i = n - 2. Where the polynomial at i = 2 is no more than what is looked at anyway, the sum at i = 3
is no more than that or than the other end; the same holds of i = n - 1. ∎
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from sympy import Expr, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.comparing import is_at_most, largest
from symledger.ir.ops import Storage
from symledger.readings.live.held import Held, Place, Step
from symledger.readings.live.timeline import Timeline

Ends = tuple[tuple[Symbol, Terms], ...]
"""Which application of each repeated body a step is looked at in, where it is neither end."""


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
        return tuple((p, p.name or numbers.get(p.index, "")) for p in self.step.places)


def alive(timeline: Timeline, bytes_of: Mapping[Storage, Expr]) -> Iterator[Terms]:
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


def size(held: Held, bytes_of: Mapping[Storage, Expr]) -> Terms:
    """Return the bytes of a storage, all its copies."""
    return algebra.multiply(held.number, _bytes(held.tensor.size, bytes_of[held.tensor.storage]))


@cache
def _bytes(elements: Expr, each: Expr) -> Terms:
    return algebra.terms(elements * each)


def moments(
    timeline: Timeline, bytes_of: Mapping[Storage, Expr], ways: Iterable[str]
) -> tuple[Moment, ...]:
    """Return the moments of some passes of which none is proven to be no larger than another.

    They are in the order of time, and all others are: that is the lemma above, and comparing.
    """
    asked = set(ways)
    every = [
        (terms, Moment(number, step, terms))
        for number, (step, terms) in enumerate(
            zip(timeline.steps, alive(timeline, bytes_of), strict=True)
        )
        if step.measured and step.way in asked
    ]
    front = largest(one for one in every if not indices(one[1].step))
    within = largest(one for one in every if indices(one[1].step))
    front = largest([*front, *(end for one in within for end in _ends(*one, front))])
    return tuple(sorted((m for _, m in front), key=lambda m: m.number))


def indices(step: Step) -> dict[Symbol, Terms]:
    """Return the numbers of the applications that a step is in, where they are neither end.

    With each, how many applications there are.
    """
    found = {}
    for place in step.places:
        if place.index is not None:
            found[place.index] = algebra.terms(place.call.op.times)  # type: ignore[union-attr]  # a Call
    return found


def _ends(
    terms: Terms, moment: Moment, front: list[tuple[Terms, Moment]]
) -> Iterator[tuple[Terms, Moment]]:
    """Yield a step of the i-th application at those ends that are not looked at already."""
    found: list[tuple[Terms, Ends]] = [(terms, ())]
    for i, times in indices(moment.step).items():
        one, two, three = map(algebra.constant, (1, 2, 3))
        ends = ((two, three), (algebra.subtract(times, one), algebra.subtract(times, two)))
        found = [
            (algebra.substitute(p, {i: end}), (*at, (i, near)))
            for p, at in found for end, near in ends
        ]  # fmt: skip
    for p, at in found:
        if not any(is_at_most(p, other) for other, _ in front):
            near = algebra.substitute(terms, dict(at))
            yield near, Moment(moment.number, moment.step, near, at)
