"""Does it fit, and what is to be cut: ways to need less, what each saves and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from symledger.accounts.account import Account
from symledger.errors import SymledgerError
from symledger.inverse.amounts import NEEDED
from symledger.inverse.binding import Row, rows
from symledger.inverse.form import unknown
from symledger.inverse.solve import solve
from symledger.ledger.conventions import DTYPES
from symledger.ledger.optimizers import OPTIMIZERS

SCHEMA = "symledger.fit/1"
WORK = "flops.training"
CHOICES = ("flash", "recompute")
"""Choices of targets that save memory."""
LIGHTER = ("adafactor", "momentum", "sgd")
"""Optimizers that keep less than most."""
SIZES = ("B", "T")
"""Sizes of what is trained on, and not of the model."""
HALF = "bf16"

Kind = Literal["choice", "dtype", "optimizer", "size"]


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
    rows: tuple[Row, ...]
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


def needed(account: Account, quantity: str) -> int:
    """Return what is needed.

    Raises:
        BadInput: not all sizes have a value.
    """
    found = account[quantity].value
    if isinstance(found, int):
        return found
    raise unknown(account, account[quantity].corollary_terms)


def _ways(account: Account, budget: int, quantity: str) -> Iterator[Way]:
    for kind, name, option, change in _changes(account):
        found = _way(account, quantity, kind, name, option, change)
        if found:
            yield found
    for name in SIZES:
        found = _smaller(account, budget, quantity, name)
        if found:
            yield found


Change = tuple[Kind, str, str, Callable[[Account], Account]]


def _changes(account: Account) -> Iterator[Change]:
    """Yield the choices, types and optimizers that may need less."""
    for name in CHOICES:
        if account.target.options.get(name) is False:
            yield "choice", name, f"--set {name}=true", _chosen(name)
    c = account.conventions
    if DTYPES[HALF] < c.value_bytes:
        yield "dtype", HALF, f"--dtype {HALF}", lambda a: a.under(dtype=HALF)
    for name in LIGHTER:
        if name != c.optimizer and name in OPTIMIZERS:
            yield "optimizer", name, f"--optimizer {name}", _kept_by(name)


def _chosen(name: str) -> Callable[[Account], Account]:
    return lambda a: a.at({**a.request.settings, name: "true"})


def _kept_by(name: str) -> Callable[[Account], Account]:
    return lambda a: a.under(optimizer=name)


def _way(
    account: Account, quantity: str, kind: Kind, name: str, option: str,
    change: Callable[[Account], Account],
) -> Way | None:  # fmt: skip
    """Return a way, if the target can go it and needs less then."""
    try:
        other = change(account)
        value = other[quantity].value
    except SymledgerError:
        return None
    before = account[quantity].value
    if not isinstance(value, int) or not isinstance(before, int) or value >= before:
        return None
    return Way(kind, name, option, value, _work(account, other), 1, other)


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
    try:
        n = solve(account, name, quantity, budget).inside.size
    except SymledgerError:
        n = 1
    if n >= now:
        return None
    option = f"--set {name}={n}"
    found = _way(account, quantity, "size", name, option, lambda a: a.subs({name: n}))
    if found is None or found.work is None:
        return found
    parts = -(-now // n) if name == "B" else 1
    each = found.work * now / n
    return Way("size", name, found.option, found.value, each, parts, found.account)


def _together(
    account: Account, budget: int, quantity: str, ways: Sequence[Way]
) -> Iterator[Way]:
    """Yield ways one after the other, each time the one that saves most, until it fits."""
    left = [change for change in _changes(account) if any(w.option == change[2] for w in ways)]
    here, lightened = account, False
    while left and needed(here, quantity) > budget:
        tried = [(change, _way(here, quantity, *change)) for change in left
                 if not (change[0] == "optimizer" and lightened)]  # fmt: skip
        found = [(change, way) for change, way in tried if way]
        if not found:
            break
        change, best = min(found, key=lambda pair: pair[1].value)
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
