"""From where on does another moment take over? The least size at which the largest is another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.ir.sizing import Bound
from symledger.ledger.at_moment import AtMoment
from symledger.ledger.peaks import Peak

FARTHEST = 10**12
"""Sizes beyond are not looked at."""


@dataclass(frozen=True)
class Overtaking:
    """From which value of a size on, all others as they are, another moment is the largest."""

    symbol: Symbol
    value: int
    moment: AtMoment


def overtakings(peak: Peak, bounds: Iterable[Bound] = ()) -> Iterator[Overtaking]:
    """Yield for each size where another moment takes over as it grows, where one does.

    Left out are sizes that go beyond their ``bounds``: pairs (a, b) of which a may not exceed b.
    It is found where that is proven: where a difference of two moments, written in what is added to
    the size, changes sign once (Descartes), so that bisection meets the one place.
    """
    now, at = peak.largest, peak.assumed.bindings
    if now is None:
        return
    others = [m for m in peak.remaining if m is not now]
    ahead = [algebra.subtract(m.corollary_terms, now.corollary_terms) for m in others]
    own = {s for terms in ahead for monomial in terms for s, _ in monomial}
    for symbol in sorted(own, key=str):
        each = zip(ahead, others, strict=True)
        found = [(n, m) for terms, m in each if (n := _from(terms, symbol, at))]
        if found:
            first = Overtaking(symbol, *min(found, key=lambda pair: pair[0]))
            if not any(_exceeds(a, b, {**at, symbol: first.value}) for a, b in bounds):
                yield first


def _exceeds(low: Expr, high: Expr, at: dict[Symbol, int]) -> bool:
    room = algebra.value(algebra.terms(high - low), at)
    return room is not None and room < 0


def _from(ahead: Terms, symbol: Symbol, at: dict[Symbol, int]) -> int | None:
    """The least value beyond the present one from which a difference is positive; None if none."""
    powers, start = _along(ahead, symbol, at), at[symbol]
    least = min((0, *powers))
    cleared = {n - least: c for n, c in powers.items()}  # no power is negative
    if len(signs(shifted(cleared, start))) != 2 or _at(cleared, FARTHEST) <= 0:
        return None
    low, high = start, FARTHEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _at(cleared, middle) > 0 else (middle, high)
    return high


def _along(terms: Terms, symbol: Symbol, at: dict[Symbol, int]) -> dict[int, int | Fraction]:
    """What a polynomial is in one of its symbols, all others having values: by powers of it."""
    found: dict[int, int | Fraction] = {}
    for monomial, c in terms.items():
        own = 0
        for s, n in monomial:
            if s == symbol:
                own = n
            else:
                c *= at[s] ** n if n > 0 else Fraction(1, at[s] ** -n)
        found[own] = found.get(own, 0) + c
    return found


def signs(coefficients: list[Fraction]) -> list[bool]:
    """The runs of signs of coefficients that are not zero: one more than how often they change."""
    found = [c > 0 for c in coefficients if c]
    return [s for i, s in enumerate(found) if i == 0 or s != found[i - 1]]


def shifted(powers: dict[int, int | Fraction], by: int) -> list[Fraction]:
    """The coefficients of a polynomial in x written in y = x - by, the lowest power first."""
    result = [Fraction(0)]
    for n in range(max(powers, default=0), -1, -1):  # Horner
        raised = [Fraction(0), *result]
        result = [a + by * b for a, b in zip(raised, [*result, Fraction(0)], strict=True)]
        result[0] += powers.get(n, 0)
    return result


def _at(powers: dict[int, int | Fraction], x: int) -> Fraction:
    return sum((c * Fraction(x) ** n for n, c in powers.items()), start=Fraction(0))
