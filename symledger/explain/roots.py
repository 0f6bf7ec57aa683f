"""Whole sizes at which a polynomial takes a value: exact roots, no scanning where one is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import gcd, isqrt, lcm, prod

import numpy as np
from sympy import Symbol

from symledger.algebra import Monomial, Number, Terms, value
from symledger.explain.index.sources import evaluate
from symledger.explain.index.usual import is_usual, usual
from symledger.explain.index.values import Floats, Span

MOST_TRIED = 400
"""Combinations of usual sizes that are tried for all but one symbol of a formula."""
SMALLEST, GREATEST = 8, 10**6
"""A size that is not usual is looked for between these."""
ROOM = 1e-9
"""How far a float may be from its number, as a share of it; far above its rounding."""
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
        key = Monomial(left)
        out[key] = out.get(key, 0) + c
    return {monomial: c for monomial, c in out.items() if c}


def solutions(polynomial: Terms, spans: Sequence[Span]) -> Iterator[tuple[int, Sizes]]:
    """Yield the number of a span, with sizes at which a polynomial lies in it, span by span."""
    for i in _possible(polynomial, spans):
        for at in solve(polynomial, *spans[i]):
            yield i, at


def _possible(polynomial: Terms, spans: Sequence[Span]) -> Iterable[int]:
    """Return the numbers of those spans that something may be found for.

    A span that is no single number holds a rising polynomial of one symbol at usual sizes only.
    """
    symbols = symbols_of(polynomial)
    if len(symbols) != 1 or not spans or any(low == high for low, high in spans):
        return range(len(spans))
    powers = powers_of(polynomial)
    if not is_rising(powers):
        return range(len(spans))
    floats = _floats(symbols[0].name, tuple(powers.items()))
    lows, highs = np.array(spans, float).T
    first = np.searchsorted(floats, lows * (1 - ROOM))
    last = np.searchsorted(floats, highs * (1 + ROOM), side="right")
    found: list[int] = np.nonzero(first < last)[0].tolist()
    return found


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
    elif (
        low == high and prod(len(usual(s.name)) for s in symbols[:-1]) <= MOST_TRIED
        and low % common(polynomial) == 0
    ):  # fmt: skip
        yield from _usual_sizes(polynomial, symbols, low)


def common(polynomial: Terms) -> int:
    """Return the greatest number that divides a polynomial whatever the sizes; 1 if it divides.

    >>> from symledger.algebra import terms
    >>> n, m = Symbol("n"), Symbol("m")
    >>> common(terms(12 * n**2 + 18 * m))
    6
    """
    whole = all(c.denominator == 1 for c in polynomial.values())
    rising = all(n > 0 for monomial in polynomial for _, n in monomial)
    return gcd(*map(int, polynomial.values())) if whole and rising else 1


def _usual_sizes(polynomial: Terms, symbols: Sequence[Symbol], wanted: int) -> Iterator[Sizes]:
    """Yield the usual sizes at which a polynomial equals a number: floats say where to look."""
    values, slack = _grid(frozenset(polynomial.items()), tuple(symbols))
    found: list[Sizes] = []
    names = [symbol.name for symbol in symbols]
    sizes = [usual(name) for name in names]
    stays = all(c > 0 for c in polynomial.values())
    for place in np.argwhere(np.abs(values - wanted) <= slack).tolist():
        here = [own[i] for own, i in zip(sizes, place, strict=True)]
        if evaluate(polynomial, dict(zip(names, here, strict=True))) == wanted:
            at = dict(zip(symbols, here, strict=True))
            at = at if stays else _occurring(polynomial, at)
            if stays or at not in found:
                found.append(at)
    yield from found


def _occurring(polynomial: Terms, at: Sizes) -> Sizes:
    """Leave out those sizes that do not matter any more when the ones before them are put in."""
    left, found = polynomial, dict(at)
    for symbol, n in at.items():
        if any(symbol == s for monomial in left for s, _ in monomial):
            left = bind(left, {symbol: n})
        else:
            del found[symbol]
    return found


@cache
def _grid(
    polynomial: frozenset[tuple[Monomial, Number]], symbols: Sequence[Symbol]
) -> tuple[Floats, Floats]:
    """The values of a polynomial at all usual sizes, an axis for a symbol; how far they may be."""
    axes = np.ix_(*(np.array(usual(s.name), float) for s in symbols))
    at = dict(zip(symbols, axes, strict=True))
    values = slack = np.zeros(())
    for monomial, c in polynomial:
        term = np.array(float(c))
        for symbol, n in monomial:
            term = term * at[symbol] ** n
        values, slack = values + term, slack + ROOM * np.abs(term)
    return values, slack


def one(polynomial: Terms, symbol: Symbol, low: int, high: int) -> list[int]:
    """Return the whole sizes of one symbol that fit.

    A size that is not usual counts only where an exact one is asked for and the polynomial is not
    linear: any number is twice some other one, but few are 4d² + 4d.
    """
    powers = powers_of(polynomial)
    if not is_rising(powers):
        return [n for n in usual(symbol.name) if low <= _at(powers, n) <= high]
    if low < high:
        floats = _floats(symbol.name, tuple(powers.items()))
        first = np.searchsorted(floats, low * (1 - ROOM))
        last = np.searchsorted(floats, high * (1 + ROOM), side="right")
        return [n for n in usual(symbol.name)[first:last] if low <= _at(powers, n) <= high]
    n = root(powers, low)
    odd = max(powers) > 1 and n is not None and SMALLEST <= n <= GREATEST
    if n is None or not (odd or is_usual(symbol.name, n)):
        return []
    return [n]


def powers_of(polynomial: Terms) -> dict[int, Number]:
    """Return the coefficients of a polynomial in one symbol, by its powers."""
    return {monomial[0][1] if monomial else 0: c for monomial, c in polynomial.items()}


def is_rising(powers: Mapping[int, Number]) -> bool:
    """Whether a polynomial in one symbol is greater at a greater size."""
    return all(c > 0 and n >= 0 for n, c in powers.items())


@cache
def _floats(symbol: str, powers: tuple[tuple[int, Number], ...]) -> Floats:
    """The values of a rising polynomial at the usual sizes, nearly."""
    sizes = _usual(symbol)
    values = np.zeros(len(sizes))
    for power, c in powers:
        values += float(c) * sizes**power
    return values


@cache
def _usual(symbol: str) -> Floats:
    """The usual sizes of a symbol, as floats."""
    return np.array(usual(symbol), float)


def root(powers: Mapping[int, int | Fraction], wanted: int) -> int | None:
    """Return the whole positive root of a rising polynomial minus a number.

    That is a division, a square root, or else Newton's method: from a size that is too large, the
    step where the tangent meets the number leads to no smaller one than the root, as the polynomial
    is convex; nor does a step of one to a whole root.

    >>> root({2: 4, 1: 4}, 2362368)
    768
    """
    scale = lcm(*(c.denominator for c in powers.values()))
    whole = [(power, int(c * scale)) for power, c in powers.items() if power]
    left = wanted * scale - int(powers.get(0, 0) * scale)
    degree, leading = max(whole)
    if left <= 0:
        return None
    if degree == 1:
        n, rest = divmod(left, leading)
        return None if rest else n
    if degree == 2:
        once = dict(whole).get(1, 0)
        n = (isqrt(once * once + 4 * leading * left) - once) // (2 * leading)
        return n if (leading * n + once) * n == left else None
    n = 1 << -(-(left // leading).bit_length() // degree)
    while (more := sum([c * n**power for power, c in whole]) - left) > 0:
        n -= max(more // sum([c * power * n ** (power - 1) for power, c in whole]), 1)
    return None if more or n < 1 else n


def _at(powers: Mapping[int, int | Fraction], n: int) -> int | Fraction:
    return sum([
        c * n**power if power >= 0 else c / Fraction(n) ** -power for power, c in powers.items()
    ])  # fmt: skip
