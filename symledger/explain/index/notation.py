"""How polynomials are written in the index: ``d*h^-1 + 1/2*T``, read back many times faster."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from symledger.algebra import Monomial, Number, Terms, ordered
from symledger.explain.sums import Polynomial
from symledger.sizes import named

FORMAT = 1
"""The number of this way of writing an index: a file with another one is not read."""


def written(polynomial: Terms) -> str:
    """Write a polynomial; an empty text is nothing.

    >>> from symledger.algebra import terms
    >>> from symledger.sizes import d, h
    >>> written(terms(2 * d**2 / h - d / 2))
    '2*d^2*h^-1 + -1/2*d'
    """
    return " + ".join(_product(monomial, c) for monomial, c in ordered(polynomial))


@cache
def read(text: str) -> Polynomial:
    """Read a polynomial back that was written so.

    >>> read("2*d^2*h^-1 + -1/2*d") is read("-1/2*d + 2*d^2*h^-1")
    True
    """
    return Polynomial.of(dict(map(_read, text.split(" + ")))) if text else Polynomial.of({})


def _product(monomial: Monomial, c: Number) -> str:
    factors = [s.name if n == 1 else f"{s.name}^{n}" for s, n in monomial]
    return "*".join([str(c), *factors] if c != 1 or not factors else factors)


def _read(text: str) -> tuple[Monomial, Number]:
    first, *rest = text.split("*")
    if first[0].isalpha() or first[0] == "_":
        first, rest = "1", [first, *rest]
    powers = [factor.partition("^") for factor in rest]
    c = Fraction(first) if "/" in first else int(first)
    return Monomial([(named(name), int(n) if n else 1) for name, _, n in powers]), c
