"""Every formula of the catalogue in one text, so that a change is a reviewable diff.

It lies among the tests of a checkout, and is recorded only there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from symledger import records
from symledger.accounts.account import Account
from symledger.ledger.formula import Formula
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.owner import plain
from symledger.recording.selection import CATALOGUED, Selection

FILE = records.FOLDER.parents[1] / "tests" / "golden" / "formulas.txt"
HEAD = """\
# Every formula of the catalogue, once for each owner, in its default options.
# general: as it holds for all sizes; with …: under the default assumptions; leading: what
# dominates, with a bound on the relative error of leaving out the rest.
# Written by `symledger record`; review what it changes.
"""
SECTION = re.compile(r"\n== (?P<owner>\S+)\n(?P<lines>(?:.+\n)*)")


class Formulas(Kind):
    """The formulas of each owner, in its default choices."""

    name = "formulas"
    writing = "merged"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the owners of formulas, where the tests are."""
        return selection.among(self.name, CATALOGUED) if FILE.parent.is_dir() else ()

    def fresh(self, unit: str) -> bool:
        """Whether the formulas of an owner are what they were."""
        return sections().get(unit) == section(plain(unit))

    def make(self, unit: str) -> Made:
        """Write the formulas of an owner."""
        return Made(section(plain(unit)))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Put them among those of the others."""
        return replaced(FILE, written({**sections(), **made}))


def sections() -> dict[str, str]:
    """Return what is recorded, by owner."""
    text = FILE.read_text(encoding="utf-8") if FILE.is_file() else ""
    return {found["owner"]: found["lines"] for found in SECTION.finditer(text)}


def written(known: Mapping[str, str]) -> str:
    """Write the file, owners in the order of the catalogue."""
    found = (f"\n== {owner}\n{known[owner]}" for owner in CATALOGUED if owner in known)
    return HEAD + "\n" + "".join(found)


def section(account: Account) -> str:
    """Return the formulas of an owner."""
    return "".join(f"{line}\n" for line in _lines(account))


def _lines(account: Account) -> Iterator[str]:
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
