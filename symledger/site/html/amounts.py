"""Numbers with their units, as pages write them: no line ends between the two."""

from __future__ import annotations

from fractions import Fraction

from symledger.printing.units import byte_units

TOGETHER = "\u00a0"


def larger_units(n: int | Fraction) -> str:
    """Write bytes in larger units, exactly behind =, rounded behind ≈; nothing below a thousand.

    >>> larger_units(9449472).replace(TOGETHER, "~")
    '≈~9.012~MiB ≈~9.449~MB'
    """
    words = byte_units(n).split(" ")
    triples = (words[i : i + 3] for i in range(0, len(words), 3))
    return " ".join(TOGETHER.join(triple) for triple in triples)


def bytes_and_units(n: int) -> str:
    """Write bytes exactly, and in larger units.

    >>> bytes_and_units(12).replace(TOGETHER, "~")
    '12~B'
    """
    return f"{n:,}{TOGETHER}B {larger_units(n)}".strip()
