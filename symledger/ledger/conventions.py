"""Conventions: the choices that a number depends on, as values that travel with it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

from symledger.errors import BadInput, nearest
from symledger.readings.flops import Causal

DTYPES = {"fp64": 8, "fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "int8": 1}
"""Bytes of a value."""


@dataclass(frozen=True)
class Optimizer:
    """What an optimizer keeps for each parameter beside its gradient.

    ``copies`` are tensors of the parameters' own type; ``wide`` are 4-byte ones whatever that is.
    """

    copies: int
    wide: int
    meaning: str

    def state_bytes(self, value_bytes: int) -> int:
        """Return the bytes of optimizer state for one parameter."""
        return self.copies * value_bytes + 4 * self.wide


OPTIMIZERS = {
    "sgd": Optimizer(0, 0, "no state"),
    "momentum": Optimizer(1, 0, "one velocity"),
    "adam": Optimizer(2, 0, "a first and a second moment"),
    "adam-mixed": Optimizer(0, 3, "fp32 master weights and two fp32 moments"),
}


@dataclass(frozen=True)
class Conventions:
    """How things are counted. Every result carries these.

    ``input_gradient``: whether the backward pass also gives the gradient of (float) inputs.
    ``frozen``: weights that are not trained, by dotted name, ``*`` allowed.
    """

    dtype: str = "fp32"
    optimizer: str = "adam"
    causal: Causal = "full"
    input_gradient: bool = True
    frozen: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, found, known in (
            ("dtype", self.dtype, DTYPES), ("optimizer", self.optimizer, OPTIMIZERS),
            ("causal convention", self.causal, get_args(Causal)),
        ):  # fmt: skip
            if found not in known:
                raise BadInput(f"{found} is not a known {name}. {nearest(found, known)}")

    @property
    def value_bytes(self) -> int:
        """Bytes of a value."""
        return DTYPES[self.dtype]

    @property
    def storage_bytes(self) -> dict[str, int]:
        """Bytes of an element of each storage class; a statistic is never narrower than fp32."""
        statistic = max(4, self.value_bytes)
        return {"value": self.value_bytes, "statistic": statistic, "mask": 1, "index": 8}

    @property
    def state_bytes(self) -> int:
        """Bytes of optimizer state for one trained parameter."""
        return OPTIMIZERS[self.optimizer].state_bytes(self.value_bytes)

    def to_dict(self) -> dict[str, str]:
        """Say every convention in words, for people and for JSON."""
        optimizer = OPTIMIZERS[self.optimizer]
        return {
            "flop": "one multiplication or one addition; a multiply-add is 2 FLOP, 1 MAC",
            "flops": "contractions only; pointwise work is counted apart",
            "causal": CAUSAL[self.causal],
            "dtype": f"{self.dtype}: {self.value_bytes} byte{'s' * (self.value_bytes > 1)} a value",
            "saved": f"values as dtype, statistics {self.storage_bytes['statistic']} bytes, "
                     "masks 1, indices 8; what the target itself keeps, without a loss after it",
            "optimizer": f"{self.optimizer}: {optimizer.meaning}, "
                         f"{self.state_bytes} bytes a parameter",
            "input_gradient": "asked for" if self.input_gradient else "not asked for",
            "frozen": ", ".join(self.frozen) or "nothing",
        }  # fmt: skip


CAUSAL = {
    "full": "all T·S pairs are charged, whether masked or not",
    "half": "half of all T·S pairs are charged where a causal mask applies",
    "exact": "exactly the pairs that a causal mask lets through are charged",
}

Units = tuple[tuple[int, str], ...]
BINARY: Units = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
DECIMAL: Units = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


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
