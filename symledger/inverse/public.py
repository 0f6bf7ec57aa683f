"""What is asked backwards from Python: the names of ``symledger`` that commands have too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symledger.accounts.account import derive
from symledger.errors import BadInput
from symledger.inverse.amounts import AMOUNTS, NEEDED, parse_amount
from symledger.inverse.fit import Fit
from symledger.inverse.fit import fit as fitted
from symledger.inverse.solve import Solution
from symledger.inverse.solve import solve as solved


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
        raise BadInput("say one amount to stay within: budget='80GB', params='7e9' or "
                       "flops='1e21'.")  # fmt: skip
    _check_free(size, said.get("set") or {})
    ((kind, text),) = given.items()
    unit, usual = AMOUNTS[kind]
    amount = parse_amount(text, unit)
    account, name = derive(target, **said), quantity or usual
    _check_unit(kind, unit, name, account[name].unit)
    return solved(account, size, name, amount)


def fit(target: str, budget: str, quantity: str = NEEDED, **said: Any) -> Fit:
    """Say whether a target fits a budget of bytes, by how much, and what is to be cut.

    Args:
        target: what ``derive`` takes.
        budget: what there is, with its unit: ``"24GB"``.
        quantity: what has to fit; memory.training unless told.
        said: all else that ``derive`` takes.

    Raises:
        SymledgerError: anything that cannot be answered exactly; the message says why.

    >>> fit("gpt2", "24GB", set={"B": 16}).value <= 24 * 10**9
    True
    """
    amount = parse_amount(budget, "bytes")
    account = derive(target, **said)
    _check_unit("budget", "bytes", quantity, account[quantity].unit)
    return fitted(account, amount, quantity)


def _check_free(size: str, settings: Mapping[str, Any]) -> None:
    if size in settings:
        raise BadInput(f"{size} is asked for, and cannot be set as well: leave it out.")


def _check_unit(kind: str, unit: str, name: str, found: str) -> None:
    if found not in (unit, "MAC" if unit == "FLOP" else unit):
        raise BadInput(f"{kind} is an amount of {unit}, and {name} is one of {found}.")
