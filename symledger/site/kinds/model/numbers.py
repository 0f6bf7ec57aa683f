"""Numbers as model pages write them."""

from __future__ import annotations

from fractions import Fraction

from symledger.printing.numbers import number
from symledger.site.html.amounts import TOGETHER

MINUS = "\u2212"


def count(value: Fraction | int | None) -> str:
    """Write an exact value in groups of three; nothing where it is not known."""
    if value is None:
        return ""
    return number(int(value) if value.denominator == 1 else Fraction(value))


def signed(value: int | None) -> str:
    """Write a change: ``+32,768``, ``−128``, ``0``; nothing where it is not known."""
    if value is None:
        return ""
    return _sign(value) + f"{abs(value):,}"


def signed_percent(value: Fraction) -> str:
    """Write a relative error with its sign: ``−31.7 %``; two digits where it is small."""
    size = abs(float(value * 100))
    written = f"{size:.1f}" if size >= 10 else f"{size:#.2g}"
    return f"{_sign(value)}{written}{TOGETHER}%"


def _sign(value: Fraction | int) -> str:
    return "+" if value > 0 else MINUS if value < 0 else ""
