"""Does it fit, and what is to be cut: ways to need less, what each saves and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symledger.accounts.account import Account
from symledger.errors import SymledgerError
from symledger.inverse.amounts import NEEDED
from symledger.inverse.binding import Binding, rows
from symledger.inverse.form import unknown
from symledger.inverse.solve import solve
from symledger.inverse.ways import Change, Kind, changes, trains

SCHEMA = "symledger.fit/1"
WORK = "flops.training"
SIZES = ("B", "T")
"""Sizes of what is trained on, and not of the model."""
PEAK = "memory.peak.train"


@dataclass(frozen=True)
class Way:
    """One way to need less: how to ask for it, what is needed then, and how much more work it is.

    ``work`` is how many times the FLOPs of a sequence; None where they are not known. ``steps`` is
    how many smaller batches make one as it was.
    """

    kind: Kind
    name: str
    option: str
    value: int
    work: Fraction | None
    steps: int
    account: Account

    def to_dict(self, whole: int, budget: int) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "kind": self.kind, "option": self.option, "value": str(self.value),
            "saves": str(whole - self.value), "fits": self.value <= budget,
            "work": None if self.work is None else str(self.work), "steps": str(self.steps),
        }  # fmt: skip


@dataclass(frozen=True)
class Fit:
    """What is needed, the ways to need less, and those that together are enough."""

    account: Account
    quantity: str
    budget: int
    value: int
    rows: tuple[Binding, ...]
    ways: tuple[Way, ...]
    together: tuple[Way, ...]
    room: tuple[tuple[str, int], ...]

    @property
    def fits(self) -> bool:
        """Whether it fits as it is."""
        return self.value <= self.budget

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "schema": SCHEMA, "target": self.account.target.name, "quantity": self.quantity,
            "budget": str(self.budget), "value": str(self.value), "fits": self.fits,
            "sizes": {s.name: str(n) for s, n in self.account.assumed.bindings.items()},
            "conventions": self.account.counted, "binds": [row.to_dict() for row in self.rows],
            "ways": [way.to_dict(self.value, self.budget) for way in self.ways],
            "together": [way.to_dict(self.value, self.budget) for way in self.together],
            "largest": {name: str(n) for name, n in self.room},
        }  # fmt: skip


def fit(account: Account, budget: int, quantity: str = NEEDED) -> Fit:
    """Say whether a target fits a budget, and what is to be cut.

    Raises:
        SymledgerError: the quantity has no value at these sizes.
    """
    value = needed(account, quantity)
    ways = sorted(_ways(account, budget, quantity), key=lambda way: way.value)
    together = () if value <= budget else tuple(_together(account, budget, quantity, ways))
    room = tuple(_room(account, budget, quantity)) if value <= budget else ()
    return Fit(account, quantity, budget, value, tuple(rows(account, quantity)), tuple(ways),
               together, room)  # fmt: skip


def usual(account: Account) -> str:
    """Return what has to fit unless told: the peak of training, where it is derived here.

    Where nothing is trained, or no peak is derived, it is the sum of what is kept.
    """
    if not trains(account):
        return NEEDED
    try:
        return PEAK if account.amount(PEAK) is not None else NEEDED
    except SymledgerError:
        return NEEDED


def needed(account: Account, quantity: str) -> int:
    """Return what is needed.

    Raises:
        BadInput: not all sizes have a value.
    """
    found = account.amount(quantity)
    if isinstance(found, int):
        return found
    raise unknown(account, account[quantity].corollary_terms)


def _ways(account: Account, budget: int, quantity: str) -> Iterator[Way]:
    for change in changes(account):
        found = _way(account, quantity, change)
        if found:
            yield found
    for name in SIZES:
        found = _smaller(account, budget, quantity, name)
        if found:
            yield found


def _way(account: Account, quantity: str, change: Change) -> Way | None:
    """Return a way, if the target can go it and needs less then."""
    try:
        other = change.made(account)
        value = other.amount(quantity)
    except SymledgerError:
        return None
    before = account.amount(quantity)
    if not isinstance(value, int) or not isinstance(before, int) or value >= before:
        return None
    work = _work(account, other)
    return Way(change.kind, change.name, change.option, value, work, 1, other)


def _work(before: Account, after: Account) -> Fraction | None:
    try:
        a, b = before[WORK].exact, after[WORK].exact
    except SymledgerError:
        return None
    return b / a if a and b is not None else None


def _smaller(account: Account, budget: int, quantity: str, name: str) -> Way | None:
    """Return the largest batch, or the longest sequence, that fits; else the smallest."""
    now = {s.name: n for s, n in account.assumed.bindings.items()}.get(name)
    if not now or now == 1:
        return None
    several = name == "B" and quantity.startswith("memory.peak") and trains(account)
    adding = account.under(accumulate=True) if several else account
    try:
        n = solve(adding, name, quantity, budget).inside.size
    except SymledgerError:
        n = 1
    if n >= now:
        return None
    option = f"--set {name}={n}" + " --accumulate" * several
    found = _way(account, quantity, Change("size", name, option, lambda a: adding.subs({name: n})))
    if found is None or found.work is None:
        return found
    parts = -(-now // n) if name == "B" else 1
    each = found.work * now / n
    return Way("size", name, found.option, found.value, each, parts, found.account)


def _together(
    account: Account, budget: int, quantity: str, ways: Sequence[Way]
) -> Iterator[Way]:
    """Yield ways one after the other, each time the one that saves most, until it fits."""
    left = [change for change in changes(account) if any(w.option == change.option for w in ways)]
    here, lightened = account, False
    while left and needed(here, quantity) > budget:
        tried = [(change, _way(here, quantity, change)) for change in left
                 if not (change.kind == "optimizer" and lightened)]  # fmt: skip
        found = [(change, way) for change, way in tried if way]
        if not found:
            break
        change, best = min(found, key=lambda pair: (pair[0].others_are_trained, pair[1].value))
        lightened = lightened or best.kind == "optimizer"
        left.remove(change)
        here = best.account
        yield best
    for name in SIZES:
        if needed(here, quantity) <= budget:
            return
        way = _smaller(here, budget, quantity, name)
        if way:
            here = way.account
            yield way


def _room(account: Account, budget: int, quantity: str) -> Iterator[tuple[str, int]]:
    """Yield how large a batch, and how long a sequence, would fit too."""
    bound = {s.name for s in account.assumed.bindings}
    for name in SIZES:
        if name in bound:
            try:
                yield name, solve(account, name, quantity, budget).inside.size
            except SymledgerError:
                continue
