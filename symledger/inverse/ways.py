"""Ways to need less memory: what is changed, how it is asked for, and what kind of loss it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from symledger.accounts.account import Account
from symledger.ledger.conventions import DTYPES
from symledger.ledger.optimizers import OPTIMIZERS

CHOICES = ("flash", "recompute")
"""Choices of targets that save memory."""
LIGHTER = ("adafactor", "momentum", "sgd")
"""Optimizers that keep less than most."""
HALF = "bf16"
RANK = "r=16"
FOUR = "nf4"

Kind = Literal["choice", "dtype", "optimizer", "adapters", "weights", "size"]


@dataclass(frozen=True)
class Change:
    """A change of what is asked: ``option`` says it as a command does."""

    kind: Kind
    name: str
    option: str
    made: Callable[[Account], Account]

    @property
    def others_are_trained(self) -> bool:
        """Whether less is trained then, or what is not trained is coarser."""
        return self.kind in ("adapters", "weights")


def changes(account: Account) -> Iterator[Change]:
    """Yield the choices, types, optimizers and adapters that may need less."""
    for name in CHOICES:
        if account.target.options.get(name) is False:
            yield Change("choice", name, f"--set {name}=true", _chosen(name))
    c = account.conventions
    if DTYPES[HALF] < c.value_bytes:
        yield Change("dtype", HALF, f"--dtype {HALF}", lambda a: a.under(dtype=HALF))
    for name in LIGHTER:
        if name != c.optimizer and name in OPTIMIZERS:
            yield Change("optimizer", name, f"--optimizer {name}", _kept_by(name))
    if account.request.lora or account.target.is_traced or not trains(account):
        if (not c.weights and not trains(account)) or (account.request.lora and not c.weights):
            yield Change("weights", FOUR, f"--weights {FOUR}", lambda a: a.under(weights=FOUR))
        return
    yield Change("adapters", RANK, f"--lora {RANK}", _adapted)
    yield Change(
        "weights", FOUR, f"--lora {RANK} --weights {FOUR}",
        lambda a: (a if a.request.lora else _adapted(a)).under(weights=FOUR),
    )  # fmt: skip


def trains(account: Account) -> bool:
    """Whether any weight is trained."""
    return bool(account["memory.gradients"].general)


def _chosen(name: str) -> Callable[[Account], Account]:
    return lambda a: a.at({**a.request.settings, name: "true"})


def _kept_by(name: str) -> Callable[[Account], Account]:
    return lambda a: a.under(optimizer=name)


def _adapted(account: Account) -> Account:
    conventions = replace(account.request.conventions, frozen=("*",))
    return type(account)(replace(account.request, lora=RANK, conventions=conventions))
