"""Whole sizes at which a polynomial takes a value: exact roots, no scanning where one is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import prod

from sympy import Symbol

from symledger.algebra import Terms, value
from symledger.explain.usual import is_usual, usual

MOST_TRIED = 400
"""Combinations of usual sizes that are tried for all but one symbol of a formula."""
SMALLEST, GREATEST = 8, 10**6
"""A size that is not usual is looked for between these."""
Sizes = dict[Symbol, int]


def symbols_of(polynomial: Terms) -> list[Symbol]:
    """Return the symbols of a polynomial, those with the fewest usual values first."""
    found = {s for monomial in polynomial for s, _ in monomial}
    return sorted(found, key=lambda s: (len(usual(s.name)), s.name))


def bind(polynomial: Terms, at: Mapping[Symbol, int]) -> Terms:
    """Put numbers in for symbols."""
    out: Terms = {}
    for monomial, c in polynomial.items():
        left = []
        for symbol, n in monomial:
            if symbol not in at:
                left.append((symbol, n))
            else:
                c = c * at[symbol] ** n if n > 0 else c / Fraction(at[symbol]) ** -n
        key = tuple(left)
        out[key] = out.get(key, 0) + c
    return {monomial: c for monomial, c in out.items() if c}


def solve(polynomial: Terms, low: int, high: int) -> Iterator[Sizes]:
    """Yield the sizes at which a polynomial lies between two numbers (the same one: equals it).

    With one symbol left its whole roots are computed. Of several, all but one take usual values
    (where these are not too many), and the last one's root must be usual as well.
    """
    symbols = symbols_of(polynomial)
    if not symbols:
        if low <= (value(polynomial, {}) or 0) <= high:
            yield {}
    elif len(symbols) == 1:
        yield from ({symbols[0]: n} for n in one(polynomial, symbols[0], low, high))
    elif low == high and prod(len(usual(s.name)) for s in symbols[:-1]) <= MOST_TRIED:
        for n in usual(symbols[0].name):
            for rest in solve(bind(polynomial, {symbols[0]: n}), low, high):
                if all(is_usual(s.name, m) for s, m in rest.items()):
                    yield {symbols[0]: n, **rest}


def one(polynomial: Terms, symbol: Symbol, low: int, high: int) -> list[int]:
    """Return the whole sizes of one symbol that fit.

    A size that is not usual counts only where an exact one is asked for and the polynomial is not
    linear: any number is twice some other one, but few are 4d² + 4d.
    """
    powers = {monomial[0][1] if monomial else 0: c for monomial, c in polynomial.items()}
    rising = all(c > 0 and n >= 0 for n, c in powers.items())
    if not rising or low < high:
        return [n for n in usual(symbol.name) if low <= _at(powers, n) <= high]
    n = root(powers, low)
    odd = max(powers) > 1 and n is not None and SMALLEST <= n <= GREATEST
    if n is None or not (odd or is_usual(symbol.name, n)):
        return []
    return [n]


def root(powers: Mapping[int, int | Fraction], wanted: int) -> int | None:
    """Return the whole positive root of a rising polynomial minus a number, by bisection.

    >>> root({2: 4, 1: 4}, 2362368)
    768
    """
    if max(powers) == 1:
        n = (wanted - Fraction(powers.get(0, 0))) / powers[1]
        return int(n) if n.denominator == 1 and n > 0 else None
    least, most = 1, 1
    while _at(powers, most) < wanted:
        least, most = most, 2 * most
    while least < most:
        middle = (least + most) // 2
        if _at(powers, middle) < wanted:
            least = middle + 1
        else:
            most = middle
    return least if _at(powers, least) == wanted else None


def _at(powers: Mapping[int, int | Fraction], n: int) -> int | Fraction:
    return sum(
        c * n**power if power >= 0 else c / Fraction(n) ** -power for power, c in powers.items()
    )
