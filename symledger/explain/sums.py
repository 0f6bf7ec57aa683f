"""Sums of polynomials that are added up only when that is asked for.

Most of what may be meant of a target is a few of its lines together, or all but some. Looking for a
number needs the values of the lines alone; the polynomial is made of what gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from hashlib import sha256
from typing import ClassVar

from symledger import algebra
from symledger.algebra import ONE, Monomial, Number, Terms

PRIME = 2**127 - 1
"""Two polynomials that differ have the same mark with a chance of one in 10^35."""
NO_NAMES: frozenset[str] = frozenset()


class Polynomial(Terms):
    """Terms; equal ones are one object, so that what is worked out of them is worked out once.

    Its ``mark`` is its value modulo a prime where every symbol is some great number of its own:
    that tells it from others, and marks are added and multiplied as polynomials are.
    """

    __hash__ = object.__hash__  # type: ignore[assignment]  # it is never changed
    known: ClassVar[dict[int, Polynomial]] = {}

    def __init__(self, terms: Terms, mark: int) -> None:
        super().__init__(terms)
        self.mark = mark

    @classmethod
    def of(cls, terms: Terms) -> Polynomial:
        """Return the one with these terms."""
        if isinstance(terms, cls):
            return terms
        mark = sum([_mark(monomial) * _modulo(c) for monomial, c in terms.items()]) % PRIME
        return cls.known.get(mark) or cls.known.setdefault(mark, cls(terms, mark))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its symbols."""
        return NO_NAMES.union(*map(_names, self))

    @cached_property
    def is_positive(self) -> bool:
        """Whether nothing is taken away in it: added to others, none of its terms is lost."""
        return all(c > 0 for c in self.values())

    @cached_property
    def alone(self) -> Sum:
        """The sum of nothing else."""
        return added_up((self,))

    def times(self, often: Polynomial) -> Polynomial:
        """Multiply it by another one."""
        if often is ONCE:
            return self
        mark = self.mark * often.mark % PRIME
        return self.known.get(mark) or Polynomial.of(algebra.multiply(often, self))


def added(several: Sequence[Polynomial]) -> Polynomial:
    """Add polynomials."""
    mark = sum([one.mark for one in several]) % PRIME
    return Polynomial.known.get(mark) or Polynomial.of(algebra.add(several))


Piece = tuple[int, Polynomial]
"""How often, and what."""


class Sum:
    """Polynomials, each so many times.

    Sums of the same ones are one object. It is not enough that they come to the same: where a size
    is not known, a sum is known that never had it, and not one in which it cancels.
    """

    known: ClassVar[dict[tuple[Piece, ...], Sum]] = {}

    def __init__(self, pieces: Iterable[Piece], mark: int) -> None:
        self.pieces = _merged(pieces)
        self.mark = mark

    @classmethod
    def of(cls, pieces: tuple[Piece, ...]) -> Sum:
        """Return what some pieces add up to."""
        if pieces not in cls.known:
            mark = sum([n * one.mark for n, one in pieces]) % PRIME
            cls.known[pieces] = cls(pieces, mark)
        return cls.known[pieces]

    def times(self, often: Polynomial) -> Sum:
        """Multiply it by a polynomial."""
        return Sum.of(tuple([(n, one.times(often)) for n, one in self.pieces]))

    @cached_property
    def terms(self) -> Terms:
        """The polynomial."""
        return algebra.combine(self.pieces)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the symbols of the polynomial."""
        if not all(one.is_positive for _, one in self.pieces):
            return NO_NAMES.union(*map(_names, self.terms))
        added = [(n, one) for n, one in self.pieces if n > 0]
        if len(added) == len(self.pieces):
            return NO_NAMES.union(*[one.names for _, one in added])
        taken: dict[Monomial, Number] = {}
        for n, one in self.pieces:
            for monomial, c in one.items() if n < 0 else ():
                taken[monomial] = taken.get(monomial, 0) - n * c
        gone = {m for m, c in taken.items() if c == sum([n * one.get(m, 0) for n, one in added])}
        left = [m for _, one in self.pieces for m in one if m not in gone]
        return NO_NAMES.union(*map(_names, left))


def added_up(several: Iterable[Polynomial]) -> Sum:
    """Return the sum of some polynomials."""
    return Sum.of(tuple([(1, one) for one in several]))


def all_but(whole: Polynomial, parts: Sequence[Polynomial]) -> Sum:
    """Return what is left of a polynomial without some others."""
    mark = (whole.mark - sum([part.mark for part in parts])) % PRIME
    return Sum([(1, whole), *[(-1, part) for part in parts]], mark)


def _merged(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Put equal polynomials together, and leave out what is nothing."""
    found = tuple([piece for piece in pieces if piece[1]])
    once = {id(one): one for _, one in found}
    if len(once) == len(found):
        return found
    often = dict.fromkeys(once, 0)
    for n, one in found:
        often[id(one)] += n
    return tuple([(n, once[i]) for i, n in often.items() if n])


@cache
def _names(monomial: Monomial) -> frozenset[str]:
    return frozenset([s.name for s, _ in monomial])


@cache
def _mark(monomial: Monomial) -> int:
    mark = 1
    for symbol, n in monomial:
        mark = mark * pow(_great(symbol.name), n, PRIME) % PRIME
    return mark


@cache
def _great(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:15])


def _modulo(c: Number) -> int:
    return c.numerator * pow(c.denominator, -1, PRIME) if c.denominator != 1 else c.numerator


ONCE = Polynomial.of({ONE: 1})
NOTHING = Polynomial.of({})
