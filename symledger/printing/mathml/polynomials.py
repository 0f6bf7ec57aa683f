"""Polynomials as MathML, in the order and normal form of the text (``algebra.text``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Monomial, Number, Terms
from symledger.ledger.steps import Leading, Shown
from symledger.printing.mathml.elements import (
    APPLY,
    COMMA,
    DOT,
    MINUS,
    NEGATIVE,
    PLUS,
    TIMES,
    fraction,
    number,
    operator,
    parens,
    power,
    symbol,
)

At = Mapping[Symbol, int] | None
"""Numbers to be written in place of symbols."""


def polynomial(terms: Terms, at: At = None) -> str:
    """Write a polynomial: ``12Ld² + Vd``, or with numbers ``12·2·64² + 512·64``."""
    out = ""
    for monomial, c in algebra.ordered(terms):
        if out:
            out += MINUS if c < 0 else PLUS
        elif c < 0:
            out += NEGATIVE
        out += _term(monomial, c if c > 0 else -c, at)
    return out or number(0)


def _term(monomial: Monomial, c: Number, at: At) -> str:
    return _product(monomial, c, at) if at else _of_symbols(monomial, c)


@cache
def _of_symbols(monomial: Monomial, c: Number) -> str:
    return _product(monomial, c, None)


def _product(monomial: Monomial, c: Number, at: At) -> str:
    above = [_power(s, n, at) for s, n in monomial if n > 0]
    below = [_power(s, -n, at) for s, n in monomial if n < 0]
    if c.numerator != 1 or not above:
        above.insert(0, number(c.numerator))
    if c.denominator != 1:
        below.insert(0, number(c.denominator))
    times = DOT if at else TIMES
    product = times.join(above)
    return fraction(product, times.join(below)) if below else product


def _power(s: Symbol, n: int, at: At) -> str:
    base = number(at[s]) if at else symbol(s)
    return base if n == 1 else power(base, number(n))


def shown(body: Shown) -> str:
    """Write a shown polynomial: ``Vd + L(12d² + 2d) + d``."""
    if not body.parts:
        return polynomial(body.polynomial)
    inner = added([shown(part) for part in body.parts])
    if not body.factor:
        return inner
    factor = polynomial(body.factor)
    return (parens(factor) if len(body.factor) > 1 else factor) + TIMES + parens(inner)


def added(rows: list[str]) -> str:
    """Join rows with plus signs; one that begins with a minus brings its own."""
    return PLUS.join(rows).replace(PLUS + NEGATIVE, MINUS)


def value(exact: int | Fraction) -> str:
    """Write an exact value."""
    sign = NEGATIVE if exact < 0 else ""
    above = number(abs(exact.numerator))
    return sign + (above if exact.denominator == 1 else fraction(above, number(exact.denominator)))


def bound(lead: Leading) -> str:
    """Write the proven bound on the relative error of a leading form: ``max(1/(6d), 1/V)``."""
    each = [polynomial(charge) for charge in lead.charged]
    return each[0] if len(each) == 1 else largest(each)


def largest(each: Sequence[str]) -> str:
    """Write the largest of several."""
    name = operator("max", form="prefix", lspace="0", rspace="0")
    return name + APPLY + parens(COMMA.join(each))
