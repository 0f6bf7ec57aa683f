"""What becomes of every deliberate mistake in programs and rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from symledger.checks.mutants.mutant import Mutant
from symledger.checks.mutants.suite import Report, all_mutants, written
from symledger.evidence import records as evidence
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.selection import Selection

PARTS = 40
"""Of how many mutants each: every fortieth, so that all parts take about as long."""


class Mutants(Kind):
    """Which check kills each mutant; nothing is written while one survives.

    Recorded evidence kills some: so this comes after it. PyTorch does, too.
    """

    name = "mutants"
    needs = ("torch",)
    writing = "together"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return parts of all mutants; they belong to no owner."""
        asked = selection.named(self.name)
        return tuple(f"{i + 1} of {PARTS}" for i in range(PARTS)) if asked else ()

    def about(self, unit: str) -> str:
        """Return the part: each is made by itself."""
        return f"mutants {unit}"

    def fresh(self, unit: str) -> bool:
        """Whether the mutants on record are those that there are, whatever killed them."""
        return _are_recorded()

    def make(self, unit: str) -> Made:
        """Hunt a part of them."""
        first = int(unit.partition(" ")[0]) - 1
        killers = [mutant.hunt() for mutant in _mutants()[first::PARTS]]
        named = zip(_mutants()[first::PARTS], killers, strict=True)
        return Made(killers, tuple(f"survived: {m.kind}: {m.name}" for m, k in named if not k))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write what became of all of them, where all are there and none survived."""
        if len(made) < PARTS:
            return []
        killers: list[str] = [""] * len(_mutants())
        for unit, found in made.items():
            killers[int(unit.partition(" ")[0]) - 1 :: PARTS] = found
        report = Report(tuple(zip(_mutants(), killers, strict=True)))
        return [] if report.survivors else replaced(evidence.MUTANTS, written(report))


@cache
def _mutants() -> tuple[Mutant, ...]:
    return tuple(all_mutants())


@cache
def _are_recorded() -> bool:
    if not evidence.MUTANTS.is_file():
        return False
    now = Report(tuple((mutant, "") for mutant in _mutants())).record()
    return _anyhow(now) == _anyhow(evidence.mutants())


def _anyhow(record: Mapping[str, Iterable[Mapping[str, Any]]]) -> Counter[tuple[str, ...]]:
    """Return how many mutants there are of each kind, the rules by name, whatever kills them."""
    found: Counter[tuple[str, ...]] = Counter()
    for row in (row for part in record.values() for row in part):
        found[row["about"], row["kind"], row.get("mistake", "")] += row.get("number", 1)
    return found
