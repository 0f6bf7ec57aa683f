"""What is the most that is alive in some passes? A number at given sizes, and no formula.

Nothing is proven here, and nothing left out: every step is looked at, those of the i-th application
of a body at i = 3 and at i = n - 2, between which they are linear (the lemma of ``moments``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import accumulate, product

from sympy import Expr, Symbol

from symledger.algebra import Number, Terms
from symledger.readings.live.held import GRADIENT, Held, Prices
from symledger.readings.live.moments import _bytes
from symledger.readings.live.timeline import Timeline

Value = Callable[[Terms, Mapping[Symbol, int]], Fraction | None]
"""Returns what a polynomial comes to, with indices beside the sizes; None where one is unknown."""
BETWEEN = 5
"""How many applications of a body there are at least where one lies between its ends."""


class Unknown(Exception):
    """A size has no value, or a body is applied just as often as its ends are long."""


def most(timeline: Timeline, bytes_of: Prices, ways: Iterable[str], value: Value) -> Fraction:
    """Return the most bytes alive at a step of some passes.

    Raises:
        Unknown: it is not known at these sizes, and the formula says more.
    """
    asked = set(ways)
    levels: dict[Symbol, tuple[int, int]] = {}
    for step in timeline.steps:
        for level, place in enumerate(p for p in step.places if p.index is not None):
            n = value(place.times, {})
            if n is None or n < BETWEEN or n.denominator != 1:
                raise Unknown
            assert place.index is not None
            levels[place.index] = level, int(n)
    looked = [i for i, s in enumerate(timeline.steps) if s.measured and s.way in asked]
    depth = 1 + max((level for level, _ in levels.values()), default=-1)
    sizes: dict[tuple[Expr, Expr], Number] = {}
    found: Number = 0
    for ends in product((False, True), repeat=depth):
        at = {i: n - 2 if ends[level] else 3 for i, (level, n) in levels.items()}
        alive = _alive(timeline, bytes_of, value, at, sizes)
        found = max(found, max((alive[i] for i in looked), default=0))
    return Fraction(found)


def _alive(
    timeline: Timeline, bytes_of: Prices, value: Value, at: Mapping[Symbol, int],
    sizes: dict[tuple[Expr, Expr], Number],
) -> list[Number]:  # fmt: skip
    """What is alive at every step of the walk."""
    changes: list[Number] = [0] * (timeline.now + 1)
    numbers: dict[int, Number] = {}
    for held in timeline.held:
        if held.stored:
            number = numbers.get(id(held.number))
            if number is None:
                number = numbers[id(held.number)] = _known(value(held.number, at))
            own = number * _size(held, bytes_of, value, sizes)
            changes[held.born] += own
            changes[min(held.last + 1, timeline.now)] -= own
    return list(accumulate(changes))


def _size(
    held: Held, bytes_of: Prices, value: Value, sizes: dict[tuple[Expr, Expr], Number]
) -> Number:
    key = held.tensor.size, bytes_of[GRADIENT if held.lasting else held.tensor.storage]
    if key not in sizes:
        sizes[key] = _known(value(_bytes(*key), {}))
    return sizes[key]


def _known(found: Fraction | None) -> Number:
    if found is None:
        raise Unknown
    return found.numerator if found.denominator == 1 else found
