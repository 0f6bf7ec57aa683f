"""What checks find of an owner's formulas, and what they show of it on its page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from symledger.accounts.account import Account
from symledger.catalogue.texts import text_of
from symledger.checks.evidence import Evidence as Comparison
from symledger.checks.examination import examined
from symledger.checks.mutants.demonstrating import demonstrated
from symledger.checks.torch.witness import installed, kept_without
from symledger.evidence import demonstrations
from symledger.evidence import records as evidence
from symledger.evidence.records import recorded
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.owner import accounts, plain
from symledger.recording.selection import CATALOGUED, OWNERS, Selection

Entry = Mapping[str, Any]
"""What is recorded of a variant: fingerprints of its formulas, and comparisons."""


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
        """Check all variants."""
        before, made, failed = recorded(unit), dict[str, Entry](), list[str]()
        for name, account in accounts(unit).items():
            found = list(examined(account))
            made[name] = _entry(account, found, before.get(name, {}))
            failed += (f"{name}: {e.kind}: {e.claim}: {e.detail}" for e in found if not e.passed)
        return Made(made, tuple(failed))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write a file an owner."""
        changed = [
            path for owner, known in made.items()
            for path in replaced(evidence.FOLDER / f"{owner}.json", written(known))
        ]  # fmt: skip
        recorded.cache_clear()
        return changed

    def left_over(self) -> list[Path]:
        """Return the files of owners that are no more."""
        return [file for file in evidence.FOLDER.iterdir() if file.stem not in OWNERS]


def _is_fresh(known: Entry, account: Account) -> bool:
    hashes: Mapping[str, str] = known["hashes"]
    if any(account.fingerprint(quantity) != found for quantity, found in hashes.items()):
        return False
    if not all(e["passed"] for e in known["evidence"]):
        return False
    return not _witnesses(account) or any(e["kind"] == "pytorch" for e in known["evidence"])


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


def _entry(account: Account, found: Iterable[Comparison], before: Entry) -> Entry:
    """Return what is recorded of a variant; of the same formulas, what is the same stays."""
    rows = [e.to_dict() for e in found]
    fresh = {q: account.fingerprint(q) for q in dict.fromkeys(e["quantity"] for e in rows)}
    hashes = {q: h for q, h in fresh.items() if h}
    rows += kept_without(before, hashes)
    if before and before["hashes"] == hashes:
        known = {_but_for_worst(e): e["worst"] for e in before["evidence"]}
        rows = [{**e, "worst": known.get(_but_for_worst(e), e["worst"])} for e in rows]
    return {"hashes": hashes, "evidence": rows}


def _but_for_worst(e: Mapping[str, Any]) -> str:
    """Return a comparison without its deviation, which differs from machine to machine."""
    return json.dumps({**e, "worst": "0"}, sort_keys=True)


def written(known: Mapping[str, Entry]) -> str:
    """Write an owner's evidence as JSON, a comparison a line, so that a change can be reviewed."""

    def line(data: Any) -> str:
        return json.dumps(data, ensure_ascii=False, sort_keys=True)

    about = [
        f'{line(name)}: {{\n "hashes": {line(entry["hashes"])},\n "evidence": [\n  '
        + ",\n  ".join(line(e) for e in entry["evidence"]) + "\n ]}"
        for name, entry in sorted(known.items())
    ]  # fmt: skip
    return "{" + ",\n".join(about) + "}\n"


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
            changed += replaced(demonstrations.FOLDER / f"{owner}.json", text)
        demonstrations.demonstration.cache_clear()
        return changed

    def left_over(self) -> list[Path]:
        """Return the files of owners that are no more."""
        return [file for file in demonstrations.FOLDER.iterdir() if file.stem not in CATALOGUED]
