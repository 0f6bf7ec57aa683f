"""Bytes in larger units, each by its right name."""

from __future__ import annotations

from fractions import Fraction

Units = tuple[tuple[int, str], ...]
BINARY: Units = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
DECIMAL: Units = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
READABLE = 60
"""How long a fraction may be to be written out on a page; JSON has all of it."""


def byte_units(n: int | Fraction) -> str:
    """Write a number of bytes in larger units, each by its right name; nothing below a thousand.

    Behind = stands what is exact, behind ≈ what is rounded to its last digit.

    >>> byte_units(9449472), byte_units(2**19)
    ('≈ 9.012 MiB ≈ 9.449 MB', '= 512 KiB ≈ 524.3 kB')
    """
    parts = []
    for units in (BINARY, DECIMAL):
        if text := in_unit(n, units):
            parts.append(f"{'=' if _bytes(text, units) == n else '≈'} {text}")
    return " ".join(parts)


def in_unit(n: int | Fraction, units: Units) -> str:
    """Write a number of bytes in the largest unit that it reaches; nothing where it reaches none.

    >>> in_unit(9449472, BINARY)
    '9.012 MiB'
    """
    return next((f"{decimal(Fraction(n) / unit)} {name}" for unit, name in units if n >= unit), "")


def decimal(value: Fraction) -> str:
    """Write a value in four digits, or as many as stand before its point.

    >>> decimal(Fraction(1, 3)), decimal(Fraction(10**7, 3))
    ('0.3333', '3,333,333')
    """
    return f"{float(value):.4g}" if abs(value) < 9999 else f"{round(value):,}"


def _bytes(text: str, units: Units) -> Fraction:
    digits, _, name = text.partition(" ")
    return Fraction(digits.replace(",", "")) * next(unit for unit, n in units if n == name)
