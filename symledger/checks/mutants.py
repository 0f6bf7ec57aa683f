"""Mutants: deliberate mistakes, each of which some check has to find.

A check is worth what it refuses. So programs are recorded with a mistake in them, rules of the
readings are replaced by wrong ones, and wrong statements that are common in the field are put
where a formula belongs. Each mutant goes through the checks that every formula goes through; one
that passes them all is a survivor, and a survivor is a defect of the checks.

``python -m symledger.checks.mutants`` runs them all; with ``--record`` it also writes down how many
of each kind were killed, for the site to say.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

SURVIVED = ""
RECORD = Path(__file__).with_name("killed.json")
"""How many mutants of each kind were killed when they were last run and recorded."""


@dataclass(frozen=True)
class Mutant:
    """A mistake: what kind it is, a name, and how to look for a check that finds it.

    ``hunt`` returns the kind of the first check that refuses it, or SURVIVED.
    """

    kind: str
    name: str
    hunt: Callable[[], str]


@dataclass(frozen=True)
class Report:
    """What became of each mutant: its kind, its name, and the check that killed it."""

    found: tuple[tuple[str, str, str], ...]

    @property
    def survivors(self) -> tuple[str, ...]:
        """The mutants that no check killed."""
        return tuple(f"{kind}: {name}" for kind, name, killer in self.found if not killer)

    @property
    def kinds(self) -> dict[str, Counter[str]]:
        """How many mutants of each kind every check killed."""
        counts: dict[str, Counter[str]] = {}
        for kind, _, killer in self.found:
            counts.setdefault(kind, Counter())[killer or "survived"] += 1
        return counts

    @property
    def killed(self) -> dict[str, int]:
        """How many mutants of each kind were killed."""
        found = Counter(kind for kind, _, killer in self.found if killer)
        return dict(sorted(found.items()))

    def __str__(self) -> str:
        lines = [
            f"{sum(counts.values()):5}  {kind}: "
            + ", ".join(f"{killer} {n}" for killer, n in counts.most_common())
            for kind, counts in self.kinds.items()
        ]
        lines += [f"survived: {name}" for name in self.survivors]
        dead = len(self.found) - len(self.survivors)
        return "\n".join([*lines, f"{len(self.found)} mutants, {dead} killed"])


def all_mutants() -> Iterator[Mutant]:
    """Yield every mutant: of programs, of rules, and the wrong statements of the field."""
    from symledger.checks import (
        mutant_programs,
        mutant_rules,
        mutant_sliding,
        mutant_statements,
    )

    kinds = (mutant_programs, mutant_rules, mutant_sliding, mutant_statements)
    return chain.from_iterable(kind.mutants() for kind in kinds)


def run_mutants(mutants: Iterable[Mutant] | None = None) -> Report:
    """Hunt every mutant (all of them, unless told which)."""
    chosen = all_mutants() if mutants is None else mutants
    return Report(tuple((m.kind, m.name, m.hunt()) for m in chosen))


def recorded() -> dict[str, int]:
    """Return how many mutants of each kind were killed, as it was recorded."""
    found: dict[str, int] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def main() -> int:
    """Print how many mutants of each kind were killed by what; 1 where one survived."""
    report = run_mutants()
    print(report)
    if "--record" in sys.argv[1:] and not report.survivors:
        RECORD.write_text(json.dumps(report.killed, indent=1) + "\n", encoding="utf-8")
    return 1 if report.survivors else 0


if __name__ == "__main__":
    sys.exit(main())
