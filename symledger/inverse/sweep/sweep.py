"""A sweep from its axes to what is within: counts, the best rows, a file of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from symledger.accounts.account import Account
from symledger.errors import BadInput, shown
from symledger.inverse.sweep.axes import Axis, check_count, count
from symledger.inverse.sweep.keeping import Best, Writer, writing
from symledger.inverse.sweep.plan import Plan
from symledger.inverse.sweep.run import found_in
from symledger.inverse.sweep.where import quantities_of

SCHEMA = "symledger.sweep/1"
WRITTEN = 10**7
"""How many rows a file holds at most."""
SORTED = 10**3
"""How many it holds where they are sorted, unless told."""
SHOWN = 10


@dataclass(frozen=True)
class Asked:
    """What a sweep is to do: conditions, what is to be small, and how much to look at and keep."""

    where: tuple[str, ...] = ()
    minimize: str = ""
    to: str = ""
    limit: int | None = None
    rows: int | None = None

    @property
    def most(self) -> int:
        """How many rows are kept."""
        return self.rows or (SORTED if self.minimize else WRITTEN)


@dataclass(frozen=True)
class Sweep:
    """What was found: ``legal`` of the ``looked`` can be, ``within`` meet the conditions."""

    account: Account
    axes: tuple[Axis, ...]
    asked: Asked
    points: int
    looked: int
    legal: int
    within: int
    written: int
    header: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    int64: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep as JSON data."""
        return {
            "schema": SCHEMA, "target": self.account.target.name,
            "axes": {a.name: str(len(a.values)) for a in self.axes},
            "conventions": self.account.counted, "where": list(self.asked.where),
            "minimize": self.asked.minimize, "points": str(self.points),
            "looked": str(self.looked), "legal": str(self.legal), "within": str(self.within),
            "written": str(self.written), "arithmetic": "int64" if self.int64 else "exact",
            "columns": list(self.header), "rows": [[str(n) for n in row] for row in self.rows],
        }  # fmt: skip


def sweep(
    account: Account, axes: Sequence[Axis], asked: Asked,
    said: Callable[[int, int], None] = lambda looked, points: None,
) -> Sweep:  # fmt: skip
    """Look at every configuration of a grid.

    ``said`` is told from time to time how many were looked at.

    Raises:
        BadInput: an axis, a condition or the file cannot be, or there are too many configurations.
    """
    check_count(axes, asked.limit)
    if asked.most > WRITTEN:
        raise BadInput(f"{asked.most:,} rows are too many: {WRITTEN:,} may be written.")
    names = quantities_of([*asked.where, asked.minimize])
    if asked.minimize and asked.minimize not in names:
        raise BadInput(f"{shown(asked.minimize)} is no quantity that could be small.")
    plan = Plan(account, axes, asked.where, names)
    header = (*(axis.name for axis in axes), *names)
    by = header.index(asked.minimize) if asked.minimize else None
    best = Best(asked.most if by is not None else SHOWN, by)
    points, looked, legal, within = count(axes), 0, 0, 0
    with writing(asked.to, header, asked.most) if asked.to else nullcontext() as file:
        for found in found_in(plan, asked.limit):
            looked, legal, within = (
                looked + found.looked, legal + found.legal, within + found.count
            )
            if found.count:
                best.add(found)
                if file and by is None and file.left:
                    file.write(rows_of(found.sizes, found.values))
            said(looked, points)
        rows = best.rows()
        _check(plan, rows[:SHOWN], names)
        if file and by is not None:
            file.write(rows)
    written = file.written if isinstance(file, Writer) else 0
    return Sweep(account, tuple(axes), asked, points, looked, legal, within, written, header,
                 tuple(rows[:SHOWN]), _int64(plan))  # fmt: skip


def rows_of(sizes: Sequence[Any], values: Mapping[str, Any]) -> list[tuple[int, ...]]:
    """Return columns as rows."""
    return list(zip(*(c.tolist() for c in (*sizes, *values.values())), strict=True))


def _int64(plan: Plan) -> bool:
    every = (*(t.polynomial for t in plan.tests), *plan.quantities.values())
    return all(s.fits for s in every)


def _check(plan: Plan, rows: Sequence[tuple[int, ...]], names: Sequence[str]) -> None:
    """Derive the rows that are shown anew.

    Raises:
        BadInput: one has another value: what was found is not to be trusted.
    """
    for row in rows:
        sizes = dict(zip((axis.name for axis in plan.axes), row, strict=False))
        there = plan.account.subs(sizes)
        values = tuple(there[name].value for name in names)
        if values != row[len(sizes):]:
            at = ", ".join(f"{name} = {n}" for name, n in sizes.items())
            raise BadInput(f"at {at} other values are derived than were found: nothing is "
                           "written.")  # fmt: skip
