"""Mutants: deliberate mistakes, each of which some check has to find.

A check is worth what it refuses. So programs are recorded with a mistake in them, rules of the
readings are replaced by wrong ones, and wrong statements that are common in the field are put
where a formula belongs. Each mutant goes through the checks that every formula goes through; one
that passes them all is a survivor, and a survivor is a defect of the checks.

``python -m symledger.checks.mutants.suite`` runs them all; with ``--record`` what became of them is
written into the package, so that the site can say it without running anything.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from symledger.evidence.records import MUTANTS

SURVIVED = ""
RULES = ("price", "pull-back", "saved", "count", "windows", "scan", "mask")
"""The kinds of mutants that are wrong rules."""


@dataclass(frozen=True)
class Mutant:
    """A mistake: what kind it is, a name, and how to look for a check that finds it.

    ``hunt`` returns the kind of the first check that refuses it, or SURVIVED. ``about`` names the
    operation whose rules it breaks, where it is one alone.
    """

    kind: str
    name: str
    hunt: Callable[[], str]
    about: str = ""


@dataclass(frozen=True)
class Report:
    """What became of each mutant: itself, and the check that killed it."""

    found: tuple[tuple[Mutant, str], ...]

    @property
    def survivors(self) -> tuple[str, ...]:
        """The mutants that no check killed."""
        return tuple(f"{m.kind}: {m.name}" for m, killer in self.found if not killer)

    @property
    def kinds(self) -> dict[str, Counter[str]]:
        """How many mutants of each kind every check killed."""
        counts: dict[str, Counter[str]] = {}
        for mutant, killer in self.found:
            counts.setdefault(mutant.kind, Counter())[killer or "survived"] += 1
        return counts

    def record(self) -> dict[str, list[dict[str, Any]]]:
        """Return what the site says of it: the rules one by one, all others counted."""
        rules = [
            {"about": m.about, "kind": m.kind, "mistake": m.name, "killer": killer}
            for m, killer in self.found if m.kind in RULES
        ]  # fmt: skip
        numbers = Counter((m.about, m.kind, k) for m, k in self.found if m.kind not in RULES)
        others = [
            {"about": about, "kind": kind, "killer": killer, "number": n}
            for (about, kind, killer), n in sorted(numbers.items())
        ]
        return {"rules": rules, "others": others}

    def __str__(self) -> str:
        lines = [
            f"{sum(counts.values()):5}  {kind}: "
            + ", ".join(f"{killer} {n}" for killer, n in counts.most_common())
            for kind, counts in self.kinds.items()
        ]
        lines += [f"survived: {name}" for name in self.survivors]
        dead = len(self.found) - len(self.survivors)
        return "\n".join([*lines, f"{len(self.found)} mutants, {dead} killed"])


def written(report: Report) -> str:
    """Write a record as JSON, a row a line, so that a change can be reviewed."""
    parts = [
        f"{json.dumps(name)}: [\n " + ",\n ".join(
            json.dumps(row, ensure_ascii=False) for row in rows
        ) + "]"
        for name, rows in report.record().items()
    ]  # fmt: skip
    return "{" + ",\n".join(parts) + "}\n"


def all_mutants() -> Iterator[Mutant]:
    """Yield every mutant: of programs, of rules, and the wrong statements of the field."""
    from symledger.checks.mutants import (
        amounts as mutant_amounts,
    )
    from symledger.checks.mutants import (
        gradients as mutant_gradients,
    )
    from symledger.checks.mutants import (
        programs as mutant_programs,
    )
    from symledger.checks.mutants import (
        rules as mutant_rules,
    )
    from symledger.checks.mutants import (
        sliding as mutant_sliding,
    )
    from symledger.checks.mutants import (
        statements as mutant_statements,
    )

    rules = (mutant_rules, mutant_gradients, mutant_amounts, mutant_sliding)
    kinds = (mutant_programs, *rules, mutant_statements)
    return chain.from_iterable(kind.mutants() for kind in kinds)


def run_mutants(mutants: Iterable[Mutant] | None = None) -> Report:
    """Hunt every mutant (all of them, unless told which)."""
    chosen = all_mutants() if mutants is None else mutants
    return Report(tuple((m, m.hunt()) for m in chosen))


def main() -> int:
    """Print how many mutants of each kind were killed by what; 1 where one survived."""
    report = run_mutants()
    print(report)
    if "--record" in sys.argv[1:] and not report.survivors:
        MUTANTS.write_text(written(report), encoding="utf-8")
    return 1 if report.survivors else 0


if __name__ == "__main__":
    sys.exit(main())
