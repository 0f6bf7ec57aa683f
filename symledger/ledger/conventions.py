"""Conventions: the choices that a number depends on, as values that travel with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from symledger.errors import BadInput, nearest, shown
from symledger.languages.message import Verbatim, Word, message, word
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
                raise BadInput(f"{shown(found)} is not a known {name}. {nearest(found, known)}")

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
        return {
            "flop": message("convention.flop"),
            "flops": message("convention.flops"),
            "causal": CAUSAL[self.causal],
            "dtype": message("convention.dtype", dtype=self.dtype, n=self.value_bytes),
            "saved": message("convention.saved", statistic=self.storage_bytes["statistic"]),
            "optimizer": message(
                "convention.optimizer", optimizer=self.optimizer, bytes=self.state_bytes,
                state=state_of(self.optimizer),
            ),
            "input_gradient": message(
                "convention.asked" if self.input_gradient else "convention.not_asked"
            ),
            "frozen": Verbatim(", ".join(self.frozen)) or message("convention.nothing"),
        }  # fmt: skip


def state_of(optimizer: str) -> Word:
    """Return what an optimizer keeps, in words."""
    return word(f"optimizer.{optimizer}", OPTIMIZERS[optimizer].meaning)


def named(convention: str) -> Word:
    """Return what a convention is called: ``input gradient``."""
    return word(f"convention.name.{convention}", convention.replace("_", " "))


CAUSAL = {
    kind: word(f"convention.causal.{kind}", said)
    for kind, said in (
        ("full", "all T·S pairs are charged, whether masked or not"),
        ("half", "half of all T·S pairs are charged where a causal mask applies"),
        ("exact", "exactly the pairs that a causal mask lets through are charged"),
    )
}
