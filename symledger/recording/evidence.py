"""What checks find of an owner's formulas, and what they show of it on its page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from symledger.accounts.account import Account
from symledger.catalogue.entries import place
from symledger.catalogue.texts import text_of
from symledger.checks.examination import examined
from symledger.checks.mutants.demonstrating import demonstrated
from symledger.checks.torch.witness import installed, kept_without
from symledger.evidence import demonstrations
from symledger.evidence import records as evidence
from symledger.evidence.comparison import Evidence as Comparison
from symledger.evidence.records import recorded
from symledger.evidence.store import Findings, written
from symledger.recording.kind import Kind, Made, others, replaced
from symledger.recording.owner import accounts, plain
from symledger.recording.selection import CATALOGUED, OWNERS, Selection

ALIVE = "live set"


class Evidence(Kind):
    """What every check finds of every variant of an owner."""

    name = "evidence"
    asks = ("torch",)

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the owners."""
        return selection.among(self.name, OWNERS)

    def fresh(self, unit: str) -> bool:
        """Whether every check passed on formulas that are as they were, on all variants."""
        known, now = recorded(unit), accounts(unit)
        return known.keys() == now.keys() and all(
            _is_fresh(known[name], account) for name, account in now.items()
        )

    def make(self, unit: str) -> Made:
        """Check all variants; what is alive is written of the default choices alone."""
        before, made, failed = recorded(unit), dict[str, Findings](), list[str]()
        for name, account in accounts(unit).items():
            found = list(examined(account))
            kept = [e for e in found if name == unit or e.kind != ALIVE]
            made[name] = findings(account, kept, before.get(name))
            failed += (f"{name}: {e.kind}: {e.sentence}: {e.detail}" for e in found if not e.passed)
        return Made(made, tuple(failed))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write a file an owner."""
        changed = [
            path for owner, known in made.items()
            for path in replaced(place(evidence.FOLDER, owner), written(known))
        ]  # fmt: skip
        recorded.cache_clear()
        return changed

    def left_over(self) -> list[Path]:
        """Return the files of owners that are no more."""
        return others(evidence.FOLDER, (place(evidence.FOLDER, owner) for owner in OWNERS))


def _is_fresh(known: Findings, account: Account) -> bool:
    if any(account.fingerprint(quantity) != found for quantity, found in known.hashes.items()):
        return False
    if not all(e.passed for e in known.evidence):
        return False
    return not _witnesses(account) or any(e.kind == "pytorch" for e in known.evidence)


def _witnesses(account: Account) -> bool:
    """Whether PyTorch is there and has something to say of a target."""
    if not installed():
        return False
    from symledger.checks.torch.cases import CASES

    options = account.target.options
    return any(
        all(options[name] == choice for name, choice in case.given.items())
        for case in CASES.get(account.target.owner, ())
    )


def findings(
    account: Account, found: Iterable[Comparison], before: Findings | None = None
) -> Findings:
    """Return what is recorded of a variant; what was found before of the same formulas stays.

    That is what PyTorch said, where it is not there now, and deviations: these differ from
    machine to machine.
    """
    rows = list(found)
    fresh = {q: account.fingerprint(q) for q in dict.fromkeys(e.quantity for e in rows)}
    hashes = {q: h for q, h in sorted(fresh.items()) if h}
    rows += kept_without(before, hashes)
    if before and before.hashes == hashes:
        known = {repr(replace(e, worst="0")): e.worst for e in map(_sorted, before.evidence)}
        rows = [replace(e, worst=known.get(repr(replace(_sorted(e), worst="0")), e.worst))
                for e in rows]  # fmt: skip
    return Findings(hashes, tuple(rows))


def _sorted(e: Comparison) -> Comparison:
    """Return a comparison with the sizes of its points in the order in which they are written."""
    return replace(e, points=tuple(dict(sorted(point.items())) for point in e.points))


class Demonstrations(Kind):
    """Errors of differences by step, and which check finds each mistake of an owner's text."""

    name = "demonstrations"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the owners that have a page."""
        return selection.among(self.name, CATALOGUED)

    def fresh(self, unit: str) -> bool:
        """Whether all mistakes of the text were found, with formulas as they were."""
        known = demonstrations.demonstration(unit)
        bugs = text_of(unit).bugs
        return (
            known is not None and known.of == demonstrations.fingerprint(plain(unit))
            and set(known.mistakes) == {str(bug.mistake) for bug in bugs if bug.mistake}
        )  # fmt: skip

    def make(self, unit: str) -> Made:
        """Show them."""
        made, known = demonstrated(plain(unit)), demonstrations.demonstration(unit)
        verdicts = {name: found.kind for name, found in made.mistakes.items()}
        if known and known.of == made.of:
            before = {name: found.kind for name, found in known.mistakes.items()}
            made = known if before == verdicts else made  # numbers differ from machine to machine
        return Made(made.to_dict())

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write a file an owner."""
        changed = []
        for owner, data in made.items():
            lines = [f"{json.dumps(k)}: {json.dumps(data[k], ensure_ascii=False)}" for k in data]
            text = "{" + ",\n ".join(lines) + "}\n"
            changed += replaced(place(demonstrations.FOLDER, owner), text)
        demonstrations.demonstration.cache_clear()
        return changed

    def left_over(self) -> list[Path]:
        """Return the files of owners that are no more."""
        folder = demonstrations.FOLDER
        return others(folder, (place(folder, owner) for owner in CATALOGUED))
