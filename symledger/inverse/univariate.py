"""Polynomials in one size: whether they rise, from where on, and where one overtakes another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb, lcm
from operator import le

from sympy import Poly, Rational, Symbol

from symledger.algebra import Number, Terms

Powers = dict[int, Number]
"""Coefficients by the power of the size; powers may be negative."""
FARTHEST = 2**16
"""How far it is looked for a place from which on a polynomial rises."""


def powers(polynomial: Terms, x: Symbol) -> Powers:
    """Return the coefficients of a polynomial in one size by power."""
    found: Powers = {}
    for monomial, c in polynomial.items():
        exponents = dict(monomial)
        assert exponents.keys() <= {x}
        n = exponents.get(x, 0)
        found[n] = found.get(n, 0) + c
    return found


def at(p: Powers, n: int) -> Fraction:
    """Return the exact value at a size."""
    low = min(0, min(p, default=0))
    total: Number = 0
    for k in range(max(p, default=0), low - 1, -1):
        total = total * n + p.get(k, 0)
    return Fraction(total) / Fraction(n ** abs(low))


class Largest:
    """The largest of several polynomials in a size, all over one denominator: whole numbers.

    Those that never are larger than another one, as sums of their coefficients show, are left out.
    """

    def __init__(self, every: Iterable[Powers]) -> None:
        many = list(every)
        self.low = min(0, *(min(p, default=0) for p in many))
        self.scale = lcm(*(Fraction(c).denominator for p in many for c in p.values()), 1)
        high = max(0, *(max(p, default=0) for p in many))
        whole = (tuple(int(p.get(k, 0) * self.scale) for k in range(high, self.low - 1, -1))
                 for p in many)  # fmt: skip
        front: dict[tuple[int, ...], tuple[int, ...]] = {}
        for row in whole:
            sums = tuple(accumulate(row))  # at whatever size, no larger where none of these is
            if not any(all(map(le, sums, other)) for other in front):
                front = {s: r for s, r in front.items() if not all(map(le, s, sums))}
                front[sums] = row
        self.rows = tuple(front.values())

    def at(self, n: int) -> Fraction:
        """Return the exact value at a size."""
        found = []
        for row in self.rows:
            total = 0
            for c in row:
                total = total * n + c
            found.append(total)
        return Fraction(max(found), self.scale * n**-self.low)


def rises(p: Powers) -> bool:
    """Whether every coefficient proves that it never falls: positive powers add, negative take."""
    return all(c >= 0 if k > 0 else c <= 0 for k, c in p.items() if k)


def falls(p: Powers) -> bool:
    """Whether every coefficient proves that it never rises."""
    return rises({k: -c for k, c in p.items()})


def rises_from(p: Powers) -> int | None:
    """Return a size from which on it is proven never to fall; None where none was found.

    What its slope is at n + y, times a power of the size, has no negative coefficient in y.
    """
    low = min(0, min(p, default=0))
    slope = {k - low: k * c for k, c in p.items() if k}
    n = 1
    while n <= FARTHEST:
        shifted: dict[int, Number] = {}
        for k, c in slope.items():
            for i in range(k + 1):
                shifted[i] = shifted.get(i, 0) + c * comb(k, i) * n ** (k - i)
        if all(c >= 0 for c in shifted.values()):
            return n
        n *= 2
    return None


def last(fits: Callable[[int], bool], low: int, high: int) -> int:
    """Return the last size that fits, of sizes of which the first ones do: ``low`` at least.

    It is bracketed by doubling, and then bisected.
    """
    step = low
    while step < high and fits(min(step * 2, high)):
        step = min(step * 2, high)
    if step == high:
        return high
    good, bad = step, min(step * 2, high)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good


def crossings(a: Powers, b: Powers) -> list[int]:
    """Return the whole sizes at which the difference of two polynomials has or changes its sign.

    Roots are isolated exactly; of each the whole numbers beside it are meant.
    """
    difference = {k: a.get(k, 0) - b.get(k, 0) for k in {*a, *b}}
    low = min(0, min(difference, default=0))
    scale = lcm(*(Fraction(c).denominator for c in difference.values()), 1)
    whole = {k - low: int(c * scale) for k, c in difference.items() if c}
    if len(whole) < 2:
        return []
    x = Symbol("x")
    polynomial = Poly({(k,): c for k, c in whole.items()}, x)
    isolated = polynomial.intervals(inf=Rational(1, 2), eps=Rational(1, 4))
    found: set[int] = set()
    for (left, right), _ in isolated:
        found |= {int(n) for n in range(int(left), int(right) + 2) if n >= 1}
    return sorted(found)


def largest_from(named: Mapping[str, Powers]) -> list[tuple[int, str]]:
    """Return which of some polynomials is the largest, and from which size on: 1 comes first."""
    places = {1}
    names: Sequence[str] = list(named)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            places.update(crossings(named[a], named[b]))
    found: list[tuple[int, str]] = []
    for n in sorted(places):
        name = _largest(named, n)
        if not found or found[-1][1] != name:
            found.append((n, name))
    return found


def _largest(named: Mapping[str, Powers], n: int) -> str:
    return max(named, key=lambda name: at(named[name], n))


def period(many: Iterable[Powers]) -> int:
    """Return after how many sizes the same polynomials are whole again."""
    return lcm(*(Fraction(c).denominator for p in many for k, c in p.items() if k > 0), 1)
