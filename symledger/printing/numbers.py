"""Numbers in the terminal: exact values, shares, bytes, and numbers in place of symbols."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.languages.message import message
from symledger.ledger.formula import Formula
from symledger.printing.steps import short_percent
from symledger.printing.units import BINARY, READABLE, decimal, in_unit


def number(value: int | Fraction) -> str:
    """Write an exact value: a whole number in groups, a ratio as a decimal with its fraction.

    >>> number(Fraction(2360177664, 7)), number(Fraction(10**7))
    ('337,168,238 (exactly 2,360,177,664/7)', '10,000,000')
    """
    if value.denominator == 1:
        return f"{int(value):,}"
    exact = f"{value.numerator:,}/{value.denominator:,}"
    if len(exact) > READABLE:
        return f"≈ {decimal(Fraction(value))}"
    return message("number.exactly", value=decimal(Fraction(value)), exact=exact)


def whole(value: int | Fraction) -> int | Fraction:
    """Return a fraction that is whole as the integer that it is."""
    return int(value) if value.denominator == 1 else value


def error_percent(error: Fraction) -> str:
    """Write a relative error with two significant digits: ``0.24 %``."""
    return f"{short_percent(error)} %"


def substituted(formula: Formula) -> str:
    """Write the corollary with numbers in place of symbols: ``12·2·64² + …``."""
    at = formula.assumed.bindings
    if any(n.denominator > 1 and len(f"{n}") > READABLE for n in at.values()):
        return ""
    shown = with_numbers(formula.corollary_terms, at)
    return "" if formula.divisor or shown == str(formula.value) else shown


def with_numbers(polynomial: Terms, at: Mapping[Symbol, int]) -> str:
    """Write a polynomial with numbers in place of symbols."""
    terms = []
    for monomial, c in algebra.ordered(polynomial):
        above = [f"{_factor(at[s])}{_power(n)}" for s, n in monomial if n > 0]
        below = [f"{_factor(at[s])}{_power(-n)}" for s, n in monomial if n < 0]
        if abs(c.numerator) != 1 or not above:
            above.insert(0, str(abs(c.numerator)))
        if c.denominator != 1:
            below.insert(0, str(c.denominator))
        divisor = below[0] if len(below) == 1 else f"({'·'.join(below)})"
        sign = "-" if c < 0 else "+"
        terms.append(f"{sign} " + "·".join(above) + (f"/{divisor}" if below else ""))
    return " ".join(terms).removeprefix("+ ")


def _factor(n: int | Fraction) -> str:
    """Write a value as a factor; what is expected of something counted need not be whole."""
    return f"{n}" if n.denominator == 1 else f"({n})"


def _power(n: int) -> str:
    return "" if n == 1 else str(n).translate(algebra.SUPERSCRIPTS)


def short_bytes(n: int) -> str:
    """Write bytes in one binary unit, by its right name."""
    return in_unit(n, BINARY) or f"{n} B"
