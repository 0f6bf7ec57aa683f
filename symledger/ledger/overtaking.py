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
    own = {s for m in peak.remaining for monomial in m.corollary_terms for s, _ in monomial}
    for symbol in sorted(own, key=str):
        found = [
            (n, m) for m in peak.remaining
            if m is not now and (n := _from(now.corollary_terms, m.corollary_terms, symbol, at))
        ]  # fmt: skip
        if found:
            first = Overtaking(symbol, *min(found, key=lambda pair: pair[0]))
            if not any(_exceeds(a, b, {**at, symbol: first.value}) for a, b in bounds):
                yield first


def _exceeds(low: Expr, high: Expr, at: dict[Symbol, int]) -> bool:
    room = algebra.value(algebra.terms(high - low), at)
    return room is not None and room < 0


def _from(now: Terms, other: Terms, symbol: Symbol, at: dict[Symbol, int]) -> int | None:
    """The least value beyond the present one from which on ``other`` is larger; None if none."""
    rest = {s: algebra.constant(n) for s, n in at.items() if s != symbol and n}
    ahead = algebra.substitute(algebra.subtract(other, now), rest)
    start = at[symbol]
    least = min((n for monomial in ahead for _, n in monomial), default=0)
    cleared = {}  # by powers of the size, none of them negative
    for monomial, c in ahead.items():
        cleared[dict(monomial).get(symbol, 0) - min(least, 0)] = c
    if len(signs(shifted(cleared, start))) != 2 or _at(cleared, FARTHEST) <= 0:
        return None
    low, high = start, FARTHEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _at(cleared, middle) > 0 else (middle, high)
    return high


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
