"""Amounts that are asked about: a budget of bytes, a number of parameters, FLOPs."""

from __future__ import annotations

import re
from fractions import Fraction

from symledger.errors import BadInput, quoted
from symledger.languages.language import ungrouped

BYTES = {
    "B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50,
}  # fmt: skip
COUNTS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
FLOPS = {
    "": 1,
    **{f"{p}{word}": n for p, n in PREFIXES.items() for word in ("FLOP", "FLOPs")},
}
MACS = {"": 1, **{f"{p}{word}": n for p, n in PREFIXES.items() for word in ("MAC", "MACs")}}
UNITS = {
    "bytes": BYTES, "parameters": COUNTS, "FLOP": FLOPS, "MAC": MACS, "configurations": COUNTS,
}  # fmt: skip
"""What a unit of an amount may be written as, and what it multiplies by."""
NEEDED = "memory.training"
"""What has to fit into bytes, unless another quantity is named."""
AMOUNTS = {
    "budget": ("bytes", NEEDED), "params": ("parameters", "params"),
    "flops": ("FLOP", "flops.training"),
}  # fmt: skip
"""What each amount that is said is of, and the quantity that is meant unless one is named."""
EXAMPLES = {
    "bytes": "80GB or 24GiB", "parameters": "7e9 or 7B", "FLOP": "1e21 or 3EFLOP", "MAC": "1e12",
    "configurations": "1e9 or 10M",
}  # fmt: skip
BITS = re.compile(r"(?i)([kmgtp]i?)?bits?|[kKMGTP]i?b|b")
LARGEST = 10**30
WRITTEN = re.compile(
    r"(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:_[0-9]+)*)(?:\.(?P<part>[0-9]+))?"
    r"(?:[eE]\+?(?P<power>[0-9]{1,2}))? ?(?P<unit>[A-Za-z]*)"
)


def parse_amount(text: str, unit: str) -> int:
    """Read an amount of a unit: ``80GB`` of bytes, ``7e9`` or ``7B`` parameters, ``1e21`` FLOP.

    Raises:
        BadInput: it is no such amount; bytes need their unit, and bits are none.

    >>> parse_amount("80GB", "bytes"), parse_amount("1.5B", "parameters")
    (80000000000, 1500000000)
    """
    found = WRITTEN.fullmatch(ungrouped(text).strip()) if len(text) <= 60 else None
    if not found:
        raise BadInput(
            f"{quoted(text)} is no amount of {unit}: write a number above zero, as in "
            f"{EXAMPLES[unit]}."
        )
    scale = _scale(text, found["unit"], unit)
    part = found["part"] or ""
    digits = int(re.sub("[,_]", "", found["whole"]) + part)
    amount = Fraction(digits * scale * 10 ** int(found["power"] or 0), 10 ** len(part))
    if amount.denominator != 1:
        raise BadInput(f"{quoted(text)} is no whole number of {unit}, and {unit} are whole.")
    if not 1 <= amount <= LARGEST:
        raise BadInput(f"{quoted(text)} is out of range: amounts go from 1 to 10^30.")
    return int(amount)


def _scale(text: str, suffix: str, unit: str) -> int:
    """Return what a suffix multiplies by.

    Raises:
        BadInput: the unit has no such suffix, or bytes have none at all.
    """
    known = UNITS[unit]
    if suffix in known:
        return known[suffix]
    said = quoted(text)
    if unit != "bytes":
        raise BadInput(f"{said} is no amount of {unit}: write it as in {EXAMPLES[unit]}.")
    if not suffix:
        number = text.strip()
        raise BadInput(
            f"{said} has no unit: a budget is {number}GB (10^9 bytes each), {number}GiB (2^30), "
            "or one of B, kB, KiB, MB, MiB, TB, TiB."
        )
    if BITS.fullmatch(suffix):
        raise BadInput(
            f"{said} is in bits, of which 8 are a byte: write the bytes, as in 80GB or 24GiB."
        )
    raise BadInput(
        f"{said} has a unit that is not one of bytes: these are B, kB, KiB, MB, MiB, GB, GiB, TB "
        "and TiB."
    )
