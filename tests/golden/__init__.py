"""Every formula of the catalogue in one canonical text, so that a change is a reviewable diff.

``python -m tests.golden`` writes it anew.
"""

from collections.abc import Iterator
from pathlib import Path

from symledger.accounts.account import Account
from symledger.catalogue.entries import ENTRIES
from symledger.ledger.formula import Formula
from tests.every import account

FILE = Path(__file__).parent / "formulas.txt"
HEAD = """\
# Every formula of the catalogue, once for each owner, in its default options.
# general: as it holds for all sizes; with …: under the default assumptions; leading: what
# dominates, with a bound on the relative error of leaving out the rest.
# Written by `python -m tests.golden`; review what it changes.
"""


def text() -> str:
    """Return the whole text."""
    owners = [entry.name for entry in ENTRIES if entry.name == entry.family]
    return HEAD + "".join(f"\n{line}" for name in owners for line in _owner(account(name))) + "\n"


def _owner(account: Account) -> Iterator[str]:
    yield f"\n== {account.target.owner}"
    for quantity in account.quantities:
        yield from _formula(account[quantity])
        for kind, other in account.causal(quantity).items():
            if kind != account.conventions.causal:
                yield f"  causal pairs {kind}: {other.to_dict()['corollary']}"


def _formula(formula: Formula) -> Iterator[str]:
    shown = formula.to_dict()
    yield f"{formula.id} [{formula.unit}]"
    yield f"  general: {shown['expr']}"
    if formula.assumptions:
        yield f"  with {', '.join(formula.assumptions)}: {shown['corollary']}"
    leading = shown["leading"]
    if leading and leading["expr"] != shown["corollary"]:
        yield f"  leading: {leading['expr']}, too low by at most {leading['bound']}"
