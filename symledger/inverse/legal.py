"""Which sizes a target can be of: every length whole, no slice longer than its axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.parsing import least
from symledger.errors import BadInput
from symledger.inverse.form import Freed
from symledger.ledger import quantised


@dataclass(frozen=True)
class Whole:
    """A length that must be a whole number, ``low`` at least."""

    length: Terms
    low: int

    def holds(self, at: Mapping[Symbol, int]) -> bool:
        """Whether it is one."""
        found = algebra.value(self.length, at)
        return found is not None and found.denominator == 1 and found >= self.low


@dataclass(frozen=True)
class Within:
    """What may not be negative: how much longer an axis is than what is cut from it."""

    rest: Terms

    def holds(self, at: Mapping[Symbol, int]) -> bool:
        """Whether it is not."""
        found = algebra.value(self.rest, at)
        return found is not None and found >= 0


@dataclass(frozen=True)
class Legal:
    """What sizes must be that are free. What depends on none of them was checked already."""

    whole: tuple[Whole, ...]
    within: tuple[Within, ...]

    def holds(self, at: Mapping[Symbol, int]) -> bool:
        """Whether a target can be of these sizes, as far as its lengths say."""
        return all(c.holds(at) for c in self.whole) and all(c.holds(at) for c in self.within)


def legal(freed: Freed) -> Legal:
    """Return what the free sizes of a target must be."""
    return Legal(tuple(dict.fromkeys(_whole(freed))), tuple(_within(freed)))


def _whole(freed: Freed) -> Iterator[Whole]:
    program, moving = freed.account.program, {*freed.free, *freed.defined}
    for symbol, polynomial in freed.given.items():
        if _moves(polynomial, moving):
            yield Whole(_Hashed(polynomial), least(symbol))
    weights = freed.account.conventions.weights
    blocks = [n for _, n in quantised.lengths(weights, program)] if weights else []
    for length in (*program.lengths, *blocks, *freed.account.tiles):
        if isinstance(length, Symbol) or length in program.averages:
            continue
        found = _read(freed, length)
        if found is not None and _moves(found, moving):
            yield Whole(_Hashed(found), 0 if length in program.numbers else 1)


def _within(freed: Freed) -> Iterator[Within]:
    moving = {*freed.free, *freed.defined}
    for inner, outer in freed.account.program.bounds:
        a, b = _read(freed, inner), _read(freed, outer)
        if a is not None and b is not None:
            rest = algebra.subtract(b, a)
            if _moves(rest, moving):
                yield Within(_Hashed(rest))


class _Hashed(Terms):
    """Terms that nobody changes any more."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


def _moves(polynomial: Terms, moving: set[Symbol]) -> bool:
    return any(s in moving for monomial in polynomial for s, _ in monomial)


def _read(freed: Freed, length: Expr) -> Terms | None:
    """Return a length in the free sizes; None where it is no polynomial, or not known."""
    try:
        return freed.of(algebra.terms(length))
    except BadInput:
        return None
