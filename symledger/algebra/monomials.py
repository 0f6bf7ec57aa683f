"""Monomials: products of sizes with exponents, such as d²/h."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import ClassVar

from sympy import Symbol


class Monomial(tuple[tuple[Symbol, int], ...]):
    """Symbols with their exponents, sorted by name, no exponent zero.

    Equal ones are one object, and found in a dictionary as that object: nothing of them is read.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__
    known: ClassVar[dict[tuple[tuple[Symbol, int], ...], Monomial]] = {}

    def __new__(cls, pairs: Iterable[tuple[Symbol, int]] = ()) -> Monomial:
        """Return the one that holds these pairs, sorted as they are."""
        held = tuple(pairs)
        found = cls.known.get(held)
        return cls.known.setdefault(held, super().__new__(cls, held)) if found is None else found


ONE = Monomial()


def of_exponents(exponents: Mapping[Symbol, int]) -> Monomial:
    """Return the monomial of these exponents, of which some may be zero."""
    kept = [(symbol, n) for symbol, n in exponents.items() if n]
    return Monomial(sorted(kept, key=_by_name) if len(kept) > 1 else kept)


def inverse(monomial: Monomial) -> Monomial:
    """Return one over a monomial."""
    return Monomial((symbol, -n) for symbol, n in monomial)


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    exponents = dict(a)
    for symbol, n in b:
        exponents[symbol] = exponents.get(symbol, 0) + n
    return of_exponents(exponents)


times: Callable[[Monomial, Monomial], Monomial] = cache(_times)
"""Multiply two monomials."""


def degree(monomial: Monomial) -> int:
    """Return the sum of a monomial's exponents."""
    return sum([n for _, n in monomial])


@cache
def place(monomial: Monomial) -> tuple[int, list[tuple[str, int]]]:
    """Return what terms are ordered by when they are written: the degree, then the names."""
    return -degree(monomial), [(symbol.name, -n) for symbol, n in monomial]


def _by_name(pair: tuple[Symbol, int]) -> str:
    name: str = pair[0].name
    return name
