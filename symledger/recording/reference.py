"""What is recorded of the reference implementations: what they build, and their defaults."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from symledger.accounts.account import derive
from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import place
from symledger.checks.transformers.comparison import witnessed
from symledger.config_keys.family import DEFAULTS, facts
from symledger.configs.families import every_described
from symledger.configs.reference import defaults
from symledger.evidence import records as evidence
from symledger.evidence.store import written
from symledger.recording.evidence import findings
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.selection import Selection, family_of


class Reference(Kind):
    """Published configurations compared with what their implementation builds of them."""

    name = "reference"
    needs = ("torch", "transformers", "diffusers")
    writing = "merged"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the configurations that an implementation can read."""
        read = [name for name, known in checkpoints().items() if known.config]
        return tuple(
            name for name in read if selection.includes(self.name, {name, family_of(name)})
        )

    def about(self, unit: str) -> str:
        """Return the family; what is compared of it is made apart from its evidence."""
        return f"configurations of {family_of(unit)}"

    def fresh(self, unit: str) -> bool:
        """Whether what was built is of the formulas as they are, and was the same."""
        known = evidence.reference(family_of(unit)).get(unit)
        if known is None or not all(e.passed for e in known.evidence):
            return False
        account = derive(unit)
        return known.hashes == {q: account.fingerprint(q) for q in known.hashes}

    def make(self, unit: str) -> Made:
        """Build a configuration, and compare it."""
        account = derive(unit)
        found = list(witnessed(account))
        failed = (f"{unit}: {e.quantity}: {e.detail}" for e in found if not e.passed)
        return Made(findings(account, found), tuple(failed))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Put the comparisons among those of other configurations of the same owner."""
        changed: list[Path] = []
        for owner, names in groupby(sorted(made, key=family_of), family_of):
            known = {**evidence.reference(owner), **{name: made[name] for name in names}}
            kept = {name: row for name, row in known.items() if name in checkpoints()}
            changed += replaced(place(evidence.REFERENCE, owner), written(kept))
        evidence.reference.cache_clear()
        return changed


class Defaults(Kind):
    """What the configuration classes of the implementations say of their keys."""

    name = "defaults"
    needs = ("torch", "transformers", "diffusers")
    writing = "merged"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the families of configurations."""
        built = {
            family.model_type: {made.entry for made in family.builds.values()}
            for family in every_described() if not family.like
        }  # fmt: skip
        return tuple(n for n, entries in built.items() if selection.includes(self.name, entries))

    def about(self, unit: str) -> str:
        """Return what is made by one process: all of them, which take no time."""
        return "defaults"

    def fresh(self, unit: str) -> bool:
        """Whether the class says what it said."""
        return bool(_families().get(unit) == self.make(unit).data)

    def make(self, unit: str) -> Made:
        """Ask the class of a family."""
        family = next(f for f in every_described() if f.model_type == unit and not f.like)
        return Made(json.loads(json.dumps(defaults(family))))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Put them among those of the other families."""
        every = every_described()
        known = {**_families(), **made}
        own = {family.model_type for family in every if not family.like}
        lines = [f"  {json.dumps(n)}: {json.dumps(known[n])}" for n in sorted(known.keys() & own)]
        versions = {name: version(name) for name in sorted({family.library for family in every})}
        head = f'{{"versions": {json.dumps(versions)},\n "families": {{\n'
        changed = replaced(DEFAULTS, head + ",\n".join(lines) + "\n}}\n")
        facts.cache_clear()
        return changed


def _families() -> dict[str, Any]:
    """Return what is recorded, by family."""
    if not DEFAULTS.is_file():
        return {}
    found: dict[str, Any] = json.loads(DEFAULTS.read_text(encoding="utf-8"))["families"]
    return found
