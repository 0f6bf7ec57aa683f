"""NUMBER as people write it: what it may stand for, exactly or within the digits given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from symledger.errors import BadInput, quoted
from symledger.languages.language import ungrouped
from symledger.languages.message import message

UNITS = ("parameters", "bytes", "flop")
COUNTS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "B": 10**9, "T": 10**12}
BYTES = {
    "B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
OTHERWISE = {
    "kB": "KiB", "KB": "KiB", "MB": "MiB", "GB": "GiB", "TB": "TiB",
    "KiB": "kB", "MiB": "MB", "GiB": "GB", "TiB": "TB",
}  # fmt: skip
"""Units of bytes that are taken for each other."""
FLOPS = {f"{prefix}{word}": n for word in ("FLOP", "FLOPs") for prefix, n in
         {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}.items()}  # fmt: skip
WORDS = {
    **dict.fromkeys(("parameters", "params", "parámetros"), "parameters"),
    **dict.fromkeys(("bytes", "byte"), "bytes"),
}
"""Units in words, as pages print them."""
BILLIONS = 10**4
"""No network has so many billions of parameters: a whole number from here on with a B is bytes."""
LARGEST = 10**30
COARSE = 100
"""Of two digits; three say more than a hundredth."""

WRITTEN = re.compile(
    r"(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:_[0-9]+)*)(?:\.(?P<part>[0-9]+))?"
    r"(?:[eE]\+?(?P<power>[0-9]{1,2}))? ?(?P<unit>[^\W\d_]*)"
)


@dataclass(frozen=True)
class Number:
    """A number that was asked about: every whole number from ``low`` to ``high`` is meant.

    ``unit`` is one of UNITS, and ``stated`` if the number or whoever asked said it; ``read`` says
    how a B was read, which may be a billion or bytes. ``mistaken`` is what it would be had its
    unit of bytes been taken for the other one (MB for MiB).
    """

    text: str
    unit: str
    low: int
    high: int
    mistaken: Number | None = None
    stated: bool = True
    read: str = ""

    @property
    def exact(self) -> bool:
        """Whether exactly one number is meant."""
        return self.low == self.high

    @property
    def coarse(self) -> bool:
        """Whether it is rounded to more than a hundredth of it."""
        return COARSE * (self.high - self.low) > self.high

    @property
    def about(self) -> int:
        """The number itself; the middle of what is meant where it was rounded."""
        return (self.low + self.high) // 2


def parse_number(text: str, unit: str = "") -> Number:
    """Read a number: ``2362368``, ``2,362,368``, ``2 362 368``, ``124M``, ``6.7B``, ``9.01 MiB``.

    One like ``3.14e23`` is rounded, as 6.7B is. Without a unit said, it is one of parameters unless
    its own says bytes or FLOP.

    Raises:
        BadInput: it is not a positive number, or its unit is not the one that is said.

    >>> parse_number("124M").low, parse_number("124M").high
    (123500000, 124500000)
    """
    if text.strip().endswith("%"):
        raise BadInput(
            f"{quoted(text)} is a share, and no count: ask about the number itself. The share of "
            "each line is in `symledger derive TARGET`."
        )
    if text.strip().startswith("-"):
        raise BadInput(f"{quoted(text)} is negative: a count is a whole number from 1 to 10^30.")
    found = WRITTEN.fullmatch(ungrouped(text).strip()) if len(text) <= 60 else None
    if not found:
        raise BadInput(
            f"{quoted(text)} is not a number: write 2362368, 2,362,368, 124M, 9.01MiB or 3.14e23."
        )
    suffix, power = found["unit"], 10 ** int(found["power"] or 0)
    digits = re.sub("[,_]", "", found["whole"])
    part = found["part"] or ""
    if unit in ("", WORDS.get(suffix)):
        unit, suffix = WORDS.get(suffix, unit), "" if suffix in WORDS else suffix
    stated, read = bool(unit), ""
    if suffix == "B" and not unit:
        unit, read = _with_b(Fraction(int(digits + part) * power, 10 ** len(part)))
    unit, scale = _scale(text, suffix, unit)
    scale *= power
    if scale < 10 ** len(part):
        raise BadInput(f"{quoted(text)} is not a whole number, and counts are whole.")
    low, high = _meant(int(digits + part), len(part), scale)
    if int(digits + part) == 0 or not low <= high <= LARGEST:
        raise BadInput(f"{quoted(text)} is out of range: numbers go from 1 to 10^30.")
    other = OTHERWISE.get(suffix, "") if unit == "bytes" else ""
    mistaken = (0, 0)
    if other:
        mistaken = _meant(int(digits + part), len(part), scale // BYTES[suffix] * BYTES[other])
    said = text.strip()
    return Number(
        said, unit, low, high, Number(f"{said[:-len(suffix)].strip()} {other}", unit, *mistaken)
        if other and 0 < mistaken[0] <= mistaken[1] else None,
        stated or suffix in FLOPS.keys() - COUNTS.keys() or unit == "bytes", read,
    )  # fmt: skip


def _with_b(number: Fraction) -> tuple[str, str]:
    """Return the unit that a B after a number stands for, none for billions, and say so."""
    if number < BILLIONS or number.denominator != 1:
        return "", message("explain.read_billions")
    return "bytes", message("explain.read_bytes")


def _scale(text: str, suffix: str, unit: str) -> tuple[str, int]:
    """Return the unit and what its suffix multiplies by; a bare B is a billion, or bytes if so."""
    if suffix in BYTES and (unit == "bytes" or (not unit and suffix != "B")):
        return "bytes", BYTES[suffix]
    if suffix in FLOPS and unit in ("", "flop"):
        return "flop", FLOPS[suffix]
    if suffix in COUNTS and not (suffix == "B" and unit == "flop"):
        return unit or "parameters", COUNTS[suffix]
    if suffix in (BYTES | FLOPS | WORDS):
        raise BadInput(f"{quoted(text)} is no number of {unit}.")
    raise BadInput(
        f"{quoted(text)} ends in a unit that is not known: K, M, B (10^9) and T count; "
        "kB, MB, GB and KiB, MiB, GiB are bytes; MFLOP, GFLOP are arithmetic."
    )


def _meant(digits: int, places: int, scale: int) -> tuple[int, int]:
    """Return the least and the largest whole number that round to this one."""
    value = Fraction(digits * scale, 10**places)
    if scale == 1:
        return int(value), int(value)
    half = Fraction(scale, 2 * 10**places)
    low, high = value - half, value + half
    return max(-(-low.numerator // low.denominator), 1), high.numerator // high.denominator
