"""Memory of a model: weights by type, and what training holds by type and optimizer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symledger.accounts.account import Account
from symledger.errors import SymledgerError
from symledger.ledger.conventions import Conventions
from symledger.ledger.formula import Formula
from symledger.ledger.optimizers import USUAL
from symledger.ledger.peaks import Peak
from symledger.printing.numbers import short_bytes

DTYPES = ("fp32", "bf16", "fp8", "int8")
MOST_MOMENTS = 40
"""Moments of a peak up to which a calculator has it."""


@dataclass(frozen=True)
class Bytes:
    """A number of bytes: exact, and in a binary unit; None while unbound."""

    value: int | None

    @property
    def exact(self) -> str:
        """The number itself."""
        return "" if self.value is None else f"{self.value:,}"

    @property
    def binary(self) -> str:
        """In KiB, MiB, GiB or TiB."""
        return "" if self.value is None else short_bytes(self.value)


@dataclass(frozen=True)
class OfType:
    """What a model takes where values have one type."""

    dtype: str
    value_bytes: int
    weights: Bytes
    saved: Bytes
    cache: Bytes | None
    training: tuple[Training, ...]


@dataclass(frozen=True)
class Training:
    """What training holds with one optimizer: bytes for each weight, for all, and in all."""

    optimizer: str
    each: int
    states: Bytes
    total: Bytes


def memory_of(account: Account) -> list[OfType]:
    """Return the memory at every type."""
    return [_of_type(account.under(dtype=dtype)) for dtype in DTYPES]


def _of_type(account: Account) -> OfType:
    saved = _bytes(account["memory.saved"])
    cached = "memory.kv_cache" in account.quantities
    return OfType(
        account.conventions.dtype, account.conventions.value_bytes,
        _bytes(account["memory.parameters"]), saved,
        _bytes(account["memory.kv_cache"]) if cached else None,
        tuple(_training(account, name, saved) for name in USUAL),
    )  # fmt: skip


def _training(account: Account, optimizer: str, saved: Bytes) -> Training:
    """Add up what ``memory.training`` adds up, without deriving the activations anew."""
    c = Conventions(account.conventions.dtype, optimizer)
    each = c.value_bytes + c.state_bytes
    weights, gradients = account["memory.parameters"].value, account["memory.gradients"].value
    if not (isinstance(weights, int) and isinstance(gradients, int)) or saved.value is None:
        return Training(optimizer, c.value_bytes + each, Bytes(None), Bytes(None))
    states = weights + gradients // c.value_bytes * each
    return Training(optimizer, c.value_bytes + each, Bytes(states), Bytes(states + saved.value))


def _bytes(formula: Formula) -> Bytes:
    value = formula.value
    return Bytes(value if isinstance(value, int) else None)


def peaks_of(account: Account) -> Iterator[Peak]:
    """Yield the peak of training for a calculator, where it can be put into one.

    That is where it is derived for every depth from four on, and has no more moments than are read.
    """
    if not account.target.component.decoding:
        return
    try:
        found = account["memory.peak.train"]
    except SymledgerError:
        return  # the command says why
    assert isinstance(found, Peak)
    deep = all(depth.exactly is None for depth in found.depths)
    if deep and len(found.remaining) <= MOST_MOMENTS:
        yield found
