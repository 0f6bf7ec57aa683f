"""All mutants, and what became of each: a survivor is a defect of the checks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from symledger.checks.mutants import amounts, gradients, programs, rules, sliding, statements
from symledger.checks.mutants.mutant import Mutant

RULES = ("price", "pull-back", "saved", "count", "windows", "scan", "mask")
"""The kinds of mutants that are wrong rules."""


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
    kinds = (programs, rules, gradients, amounts, sliding, statements)
    return chain.from_iterable(kind.mutants() for kind in kinds)


def run_mutants(mutants: Iterable[Mutant] | None = None) -> Report:
    """Hunt every mutant (all of them, unless told which)."""
    chosen = all_mutants() if mutants is None else mutants
    return Report(tuple((m, m.hunt()) for m in chosen))
