"""Which of two polynomials is larger at all sizes: by a proof, never by trying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import comb
from operator import le
from typing import TypeVar

from sympy import Symbol

from symledger.algebra.monomials import ONE, Monomial, inverse, of_exponents, times
from symledger.algebra.polynomials import Number, Terms, subtract

Labelled = TypeVar("Labelled")
Values = tuple[float, ...]
SMALL, LARGE = 7.0, 1e6
"""Sizes that are tried where a proof is not worth its while."""
REMEMBERED = 32
"""So many questions for the largest are remembered: models of a family ask the same ones."""
_KNOWN: dict[tuple[frozenset[tuple[Monomial, Number]], ...], tuple[int, ...]] = {}


def is_at_most(left: Terms, right: Terms) -> bool:
    """Whether a polynomial is proven to be no larger than another one, at whatever sizes.

    It is where the difference has no negative coefficient; else where that holds once every size
    is written as its least value and what is beyond. Exponents that are negative are cleared.

    >>> from symledger.algebra import terms
    >>> from symledger.sizes import T, d
    >>> is_at_most(terms(T + d), terms(T * d + 1)), is_at_most(terms(T**2), terms(T * d))
    (True, False)
    """
    difference = subtract(right, left)
    if not any(c < 0 for c in difference.values()):
        return True
    if not any(c > 0 for c in difference.values()):
        return False
    if sum(difference.values()) < 0:  # what it is where all sizes are one
        return False
    above = [m for m, c in difference.items() if c > 0]
    if not all(any(divides(m, n) for n in above) for m, c in difference.items() if c < 0):
        return False
    return not any(c < 0 for c in _from_least(difference).values())


@cache
def divides(one: Monomial, other: Monomial) -> bool:
    """Whether a monomial is another one divided by sizes: only then can that one outweigh it."""
    return all(n >= 0 for _, n in times(other, inverse(one)))


def _from_least(polynomial: Terms) -> Terms:
    """Write a polynomial, its negative exponents cleared, in what sizes are beyond their least."""
    lowest: dict[Symbol, int] = {}
    for monomial in polynomial:
        for symbol, n in monomial:
            lowest[symbol] = min(lowest.get(symbol, 0), n)
    clearing = of_exponents({symbol: -n for symbol, n in lowest.items()})
    total: Terms = {}
    for monomial, c in polynomial.items():
        for shifted, times_c in _expanded(times(monomial, clearing)):
            total[shifted] = total.get(shifted, 0) + c * times_c
    return total


@cache
def _expanded(monomial: Monomial) -> tuple[tuple[Monomial, Number], ...]:
    """Multiply out a monomial with every size that is at least one written as 1 + (size - 1)."""
    found: list[tuple[Monomial, Number]] = [(ONE, 1)]
    for symbol, n in monomial:
        if getattr(symbol, "least", 1) < 1:
            found = [(times(m, Monomial(((symbol, n),))), c) for m, c in found]
            continue
        powers = [(of_exponents({symbol: k}), comb(n, k)) for k in range(n + 1)]
        found = [(times(m, power), c * number) for m, c in found for power, number in powers]
    return tuple(found)


def largest(named: Iterable[tuple[Terms, Labelled]]) -> list[tuple[Terms, Labelled]]:
    """Return, in order, those polynomials that may be the largest: none is at most another one.

    Of equal ones the first stays. Where one is larger than another at some sizes that are tried,
    nothing need be proven.
    """
    every = list(named)
    key = tuple(frozenset(polynomial.items()) for polynomial, _ in every)
    if key not in _KNOWN:
        if len(_KNOWN) == REMEMBERED:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[key] = _front([polynomial for polynomial, _ in every])
    return [every[i] for i in _KNOWN[key]]


def _front(every: Sequence[Terms]) -> tuple[int, ...]:
    tried = Tried(every)
    front: list[tuple[Values, Values, Terms, int]] = []
    for i, polynomial in enumerate(every):
        values = tried.values(polynomial)
        if any(_within(values, b) and is_at_most(polynomial, p) for _, b, p, _ in front):
            continue
        bounds = _bounds(values)
        front = [(v, b, p, j) for v, b, p, j in front
                 if not (_within(v, bounds) and is_at_most(p, polynomial))]  # fmt: skip
        front.append((values, bounds, polynomial, i))
    return tuple(i for _, _, _, i in front)


class Known:
    """Polynomials that others are compared with, and what each comes to at sizes that are tried."""

    def __init__(self, polynomials: Iterable[Terms]) -> None:
        every = list(polynomials)
        self.tried = Tried(every)
        self.every = [(_bounds(self.tried.values(polynomial)), polynomial) for polynomial in every]

    def cover(self, polynomial: Terms) -> bool:
        """Whether a polynomial is proven to be at most one of them."""
        values = self.tried.values(polynomial)
        return any(_within(values, b) and is_at_most(polynomial, p) for b, p in self.every)


class Tried:
    """Sizes to try, one of them large and all others small, and what monomials come to there."""

    def __init__(self, polynomials: Iterable[Terms]) -> None:
        symbols = {s for p in polynomials for monomial in p for s, _ in monomial}
        self.places = {s: i for i, s in enumerate(sorted(symbols, key=str))}
        self._known: dict[Monomial, tuple[float, list[tuple[int, float]]]] = {}

    def values(self, polynomial: Terms) -> Values:
        """What a polynomial comes to, about, at each of them: where all are small, then beyond."""
        small, beyond = 0.0, [0.0] * len(self.places)
        for monomial, c in polynomial.items():
            own, more = self._known.get(monomial) or self._at(monomial)
            number = float(c)
            small += number * own
            for i, n in more:
                beyond[i] += number * n
        return (small, *map(small.__add__, beyond))

    def _at(self, monomial: Monomial) -> tuple[float, list[tuple[int, float]]]:
        """What a monomial comes to where all are small, and how much more where a size is large."""
        small = SMALL ** sum(n for _, n in monomial)
        more = [(self.places[symbol], small * ((LARGE / SMALL) ** n - 1))
                for symbol, n in monomial if symbol in self.places]  # fmt: skip
        self._known[monomial] = small, more
        return small, more


def _bounds(values: Values) -> Values:
    """The values that count as no larger than some, which are rounded."""
    return tuple([v + 1e-9 * abs(v) for v in values])


def _within(values: Values, bounds: Values) -> bool:
    return all(map(le, values, bounds))
