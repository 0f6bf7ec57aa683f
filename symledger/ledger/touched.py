"""How many experts a decoding step touches: at least, at most, and expected.

Each of B sequences sends its token to k of E experts. Which these are depends on the routing: at
least k are touched, at most the smaller of E and k·B, and E·(1 − (1 − k/E)^B) are expected where a
token takes any k of them alike, whatever the others take. Formulas have E_t for that number, which
has a value where B, k and E have; what is expected is exact, and need not be whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import log10
from typing import cast

from sympy import Expr

from symledger import algebra, sizes
from symledger.algebra import substitute
from symledger.algebra.assumptions import Assumed
from symledger.errors import BadInput
from symledger.ledger.formula import Formula
from symledger.ledger.quantities import TOUCHED, Readings
from symledger.readings.touched import E_t, mixture_of

__all__ = ["E_t", "expected", "least", "make_touched", "most"]

MOST_DIGITS = 4000
"""What the denominator of an expected number may have."""


def least(k: int, E: int, B: int) -> Fraction:
    """Return how many experts are touched at least: all tokens are sent to the same.

    >>> least(2, 8, 3), most(2, 8, 3), expected(2, 8, 2)
    (Fraction(2, 1), Fraction(6, 1), Fraction(7, 2))
    """
    return Fraction(k)


def most(k: int, E: int, B: int) -> Fraction:
    """Return how many experts are touched at most: tokens share none while there are others."""
    return Fraction(min(E, k * B))


def expected(k: int, E: int, B: int) -> Fraction:
    """Return how many are expected where routing is uniform, and independent between tokens.

    Raises:
        BadInput: the fraction has too many digits.
    """
    left = 1 - Fraction(k, E)
    if left and B * log10(left.denominator) > MOST_DIGITS:
        raise BadInput(
            f"with B = {B} and {k} of {E} experts a token, the number of experts that is expected "
            f"is a fraction of more than {MOST_DIGITS} digits: ask for experts.touched.most."
        )
    return E * (1 - left**B)


NUMBERS: dict[str, Callable[[int, int, int], Fraction]] = {
    "least": least, "most": most, "expected": expected,
}  # fmt: skip


def make_touched(owner: str, name: str, readings: Readings, assumed: Assumed) -> Formula:
    """Derive what a decoding step touches: the last part of the name says of which number.

    Raises:
        BadInput: nothing is decoded, or no token is sent to some of several experts.
    """
    if not readings.has_routed:
        raise BadInput(f"{owner} has no {name} here: none of its weights are of routed experts.")
    k, E = mixture_of(readings.decoding)
    readings.total(name)
    found = [_value(size, assumed) for size in (k, E, sizes.B)]
    known = [int(n) for n in found if n is not None]
    at = assumed.bindings
    if len(known) == len(found):
        number = NUMBERS[name.rpartition(".")[2]](*known)
        at = {**at, E_t: cast("int", number)}  # where it is no whole number, values are exact too
    settled = replace(assumed, bindings=at)
    return Formula(f"{owner}.{name}", TOUCHED[name], readings, settled)


def _value(size: Expr, assumed: Assumed) -> Fraction | None:
    return algebra.value(substitute(algebra.terms(size), assumed.equations), assumed.bindings)
