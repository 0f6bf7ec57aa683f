"""What is asked backwards from Python: the names of ``symledger`` that commands have too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from symledger.accounts.account import derive
from symledger.errors import BadInput
from symledger.inverse.amounts import AMOUNTS, parse_amount
from symledger.inverse.fit import Fit, usual
from symledger.inverse.fit import fit as fitted
from symledger.inverse.solution import Solution
from symledger.inverse.solve import solve as solved
from symledger.inverse.sweep.axes import check_count, split
from symledger.inverse.sweep.sweep import Asked, Sweep
from symledger.inverse.sweep.sweep import sweep as swept
from symledger.ledger.recipes import spelled


def solve(
    target: str, size: str, budget: str | None = None, params: str | None = None,
    flops: str | None = None, quantity: str = "", **said: Any,
) -> Solution:  # fmt: skip
    """Find the largest size at which a target stays within an amount, exactly.

    Args:
        target: what ``derive`` takes.
        size: the size that is asked for: ``"B"``, ``"d"``, ….
        budget: bytes to stay within, with their unit: ``"80GB"``; or one of the next two.
        params: parameters to stay within: ``"7e9"``.
        flops: FLOPs to stay within: ``"1e21"``.
        quantity: what is to stay within it; memory.training, params or flops.training unless told.
        said: all else that ``derive`` takes.

    Raises:
        SymledgerError: anything that cannot be answered exactly; the message says why.

    >>> solve("gpt2", "B", budget="24GB").inside.size
    18
    """
    texts = {"budget": budget, "params": params, "flops": flops}
    given = {kind: text for kind, text in texts.items() if text is not None}
    if len(given) != 1:
        raise BadInput(
            "say one amount to stay within: a budget (80GB), params (7e9) or flops (1e21)."
        )
    _check_free(size, said.get("set") or {})
    ((kind, text),) = given.items()
    unit, usual = AMOUNTS[kind]
    amount = parse_amount(text, unit)
    account, name = derive(target, **said), quantity or usual
    _check_unit(kind, unit, name, account[name].unit)
    return solved(account, size, name, amount)


def fit(target: str, budget: str, quantity: str = "", **said: Any) -> Fit:
    """Say whether a target fits a budget of bytes, by how much, and what is to be cut.

    Args:
        target: what ``derive`` takes.
        budget: what there is, with its unit: ``"24GB"``.
        quantity: what has to fit; memory.peak.train unless told, or memory.training where no peak
            is derived or nothing is trained.
        said: all else that ``derive`` takes.

    Raises:
        SymledgerError: anything that cannot be answered exactly; the message says why.

    >>> fit("gpt2", "24GB", set={"B": 8}).value <= 24 * 10**9
    True
    """
    amount = parse_amount(budget, "bytes")
    account = derive(target, **said)
    name = quantity or usual(account)
    _check_unit("budget", "bytes", name, account[name].unit)
    return fitted(account, amount, name)


def sweep(
    target: str, set: Mapping[str, Any], where: Iterable[str] = (), minimize: str = "",  # noqa: A002  # named as the command line names it
    to: str = "", rows: int | None = None, limit: str | None = None,
    told: Callable[[int, int], None] = lambda looked, points: None, **said: Any,
) -> Sweep:  # fmt: skip
    """Evaluate a target at every configuration of a grid, and keep those within conditions.

    Args:
        target: what ``derive`` takes.
        set: sizes and choices; a size with a range (``"768:8192:128"``, its end included) or a list
            (``"8,16,32"`` or ``[8, 16, 32]``) is swept.
        where: comparisons that are to hold: ``"params <= 7e9"``.
        minimize: the quantity to sort by, the smallest first.
        to: a file of comma-separated values that the rows are written to.
        rows: how many to keep: 10^7 unless told, and 1,000 where they are sorted.
        limit: look only at so many configurations, the first ones: ``"1e9"``.
        told: called now and then with how many configurations were looked at, and of how many.
        said: all else that ``derive`` takes.

    Raises:
        SymledgerError: anything that cannot be answered exactly; the message says why.

    >>> sweep("gpt2", {"d": "768:1536:256"}, where=["params <= 2e8"]).rows
    ((768, 124439808),)
    """
    most = None if limit is None else parse_amount(limit, "configurations")
    axes, single = split({name: _spelled(value) for name, value in set.items()})
    check_count(axes, most)
    conditions = (where,) if isinstance(where, str) else tuple(where)
    account = derive(target, single, **said)
    return swept(account, axes, Asked(conditions, minimize, to, most, rows), told)


def _spelled(value: Any) -> str:
    """Write what is set as a command has it: several values stand in a list."""
    several = isinstance(value, list | tuple | range)
    return ",".join(map(spelled, value)) if several else spelled(value)


def _check_free(size: str, settings: Mapping[str, Any]) -> None:
    if size in settings:
        raise BadInput(f"{size} is asked for, and cannot be set as well: leave it out.")


def _check_unit(kind: str, unit: str, name: str, found: str) -> None:
    if found not in (unit, "MAC" if unit == "FLOP" else unit):
        raise BadInput(f"{kind} is an amount of {unit}, and {name} is one of {found}.")
