"""`symledger check`: examine targets, and show what was found."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from symledger.accounts.account import Account
from symledger.checks.examination import examined, skipped
from symledger.checks.variants import variants
from symledger.cli.progress import progress
from symledger.errors import BadInput, shown
from symledger.evidence.comparison import Evidence
from symledger.evidence.records import variant

SCHEMA = "symledger.check/1"


def run(targets: Sequence[str], as_json: bool) -> int:
    """Check targets (all owners of the catalogue without any); return the exit code.

    Each is checked with its default options and with every one of them chosen otherwise.

    Raises:
        SymledgerError: a target is not there or cannot be run.
    """
    accounts = list(variants(targets))
    for account in accounts:
        if account.target.is_traced:
            raise BadInput(
                f"{shown(account.target.name)} is a trace, which is checked against its module: "
                f"symledger trace --verify {account.target.name} --set …"
            )
    started = perf_counter()
    found = [(account, _examined(account)) for account in accounts]
    failed = sum(not e.passed for _, evidence in found for e in evidence)
    if as_json:
        plain = (sys.stdout.encoding or "utf-8").lower() != "utf-8"
        print(json.dumps(to_dict(found, failed, skipped(accounts)), indent=2, ensure_ascii=plain))
    else:
        for account, evidence in found:
            print(page(account, evidence))
        for lacking in skipped(accounts):
            print(lacking)
        total = sum(len(evidence) for _, evidence in found)
        print(f"{total - failed} passed, {failed} failed in {perf_counter() - started:.1f} s")
    return 1 if failed else 0


def _examined(account: Account) -> list[Evidence]:
    """Examine one target, saying on stderr how far it is."""
    found: list[Evidence] = []
    for evidence in examined(account):
        found.append(evidence)
        progress(f"checking {variant(account)}: {len(found)} done, last {evidence.kind}")
    progress("")
    return found


def page(account: Account, evidence: Sequence[Evidence]) -> str:
    """Write what was found about one target."""
    lines = [variant(account)]
    for e in evidence:
        mark = "✓" if e.passed else "✗"
        worst = "" if e.worst == "0" else f" (worst deviation {e.worst})"
        lines.append(f"  {mark} {e.kind}: {e.sentence}{worst}")
        if not e.passed:
            lines.append(f"      {e.detail}")
    return "\n".join(lines)


def to_dict(
    found: Sequence[tuple[Account, Sequence[Evidence]]], failed: int, lacking: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the result as JSON data."""
    return {
        "schema": SCHEMA,
        "passed": failed == 0,
        "skipped": list(lacking),
        "targets": [
            {"target": variant(account), "evidence": [e.to_dict() for e in evidence]}
            for account, evidence in found
        ],
    }
