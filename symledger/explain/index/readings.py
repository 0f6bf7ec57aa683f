"""What an amount may have been multiplied by on its way to the number: bytes, passes, mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from symledger.languages.message import joined, message, word
from symledger.ledger.conventions import Conventions

FP32, BF16 = "fp32", "bf16"


class Asked(NamedTuple):
    """A quantity, and the type of values where it is one of bytes."""

    quantity: str
    dtype: str = FP32

    @property
    def in_fp32(self) -> Asked:
        """The same quantity in fp32."""
        return Asked(self.quantity)


QUANTITIES = {
    "parameters": (Asked("params"),),
    "bytes": (
        Asked("params"), Asked("memory.saved"), Asked("memory.kv_cache"),
        Asked("memory.saved", BF16), Asked("memory.kv_cache", BF16),
    ),
    "flop": (Asked("flops.forward"), Asked("flops.backward"), Asked("flops.training")),
}  # fmt: skip
"""What is read of a target for each unit of a number, the first being what choices are told by.

Activations and caches are counted for each type; weights are so many bytes each.
"""
ALL = (*QUANTITIES["bytes"], *QUANTITIES["flop"])


@dataclass(frozen=True)
class Reading:
    """The number is ``factor`` times an amount, and times the size of a symbol if one is named.

    ``said`` is why; a ``near`` miss is a mistake that is commonly made; ``unlikely`` adds to the
    rank.
    """

    factor: Fraction = Fraction(1)
    said: str = ""
    near: bool = False
    symbol: str = ""
    unlikely: float = 0


ITSELF = Reading()
OFTEN = (
    Reading(Fraction(2), word("reading.twice", "counted twice"), near=True, unlikely=1),
    Reading(Fraction(1, 2), word("reading.half", "half of it"), near=True, unlikely=1),
    Reading(said=word("reading.layers", "that of L layers, not of one"), near=True, symbol="L",
            unlikely=1.5),
    Reading(said=word("reading.heads", "multiplied by the heads, which only split the width"),
            near=True, symbol="h", unlikely=1.5),
)  # fmt: skip
MACS = (
    Reading(Fraction(1, 2), near=True, said=word(
        "reading.macs", "multiply-adds (MACs); in FLOP it is twice as much")),
    Reading(Fraction(2), near=True, said=word(
        "reading.twice_macs", "counted twice: a multiply-add is already 2 FLOP")),
)


TYPES = {
    "fp32": word("reading.type.fp32", "fp32"),
    "bf16": word("reading.type.bf16", "fp16 or bf16"),
    "int8": word("reading.type.int8", "int8 or fp8"),
}
TRAINING = (
    ("fp32", "adam",
     word("reading.trained.adam", "weights, gradients and both moments of Adam")),
    ("bf16", "adam-mixed",
     word("reading.trained.adam-mixed", "weights, gradients, fp32 copy and moments of Adam")),
    ("fp32", "sgd", word("reading.trained.sgd", "weights and gradients")),
    ("fp32", "momentum", word("reading.trained.momentum", "weights, gradients and momentum")),
)  # fmt: skip
"""What is kept for each weight, by type and optimizer, the most usual first."""


@cache
def readings(unit: str, quantity: str) -> tuple[Reading, ...]:
    """Return how a number of a unit may come from an amount of a quantity, plainest first."""
    if unit == "parameters":
        return (ITSELF, *OFTEN)
    if unit == "flop":
        return (ITSELF, *MACS)
    return _weights() if quantity == "params" else (ITSELF,)


def _weights() -> tuple[Reading, ...]:
    """Bytes for each parameter, by type and optimizer, as the conventions have them."""
    found = [
        Reading(Fraction(Conventions(dtype).value_bytes), message("explain.weights", type=said),
                unlikely=i / 4) for i, (dtype, said) in enumerate(TYPES.items())
    ]
    for i, (dtype, optimizer, said) in enumerate(TRAINING, 1):
        c = Conventions(dtype, optimizer)
        each = Fraction(2 * c.value_bytes + c.state_bytes)
        found.append(Reading(each, joined((said, dtype)), unlikely=i / 4))
    c = Conventions("fp32", "adam")
    full = 2 * c.value_bytes + c.state_bytes
    found.append(Reading(
        Fraction(full - c.value_bytes),
        message("explain.without_gradients", bytes=full), near=True,
    ))  # fmt: skip
    return tuple(found)
