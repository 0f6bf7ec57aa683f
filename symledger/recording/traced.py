"""What is recorded of definitions against their reference implementations, traced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from symledger.accounts.account import derive
from symledger.catalogue.entries import find
from symledger.checks.traced.vectors import Vector, owners, vectors
from symledger.errors import BadInput, nearest, shown
from symledger.evidence import traced as evidence
from symledger.recording.kind import Kind, Made, others, replaced
from symledger.recording.selection import Selection


class Traced(Kind):
    """The classes that families are read for, traced, with every vector of options.

    That takes minutes a family, hours for all: it is made only where its name is said, of the
    owners that are named beside it, else of all.
    """

    name = "traced"
    needs = ("torch", "transformers")

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the owners of formulas that have a class in transformers."""
        return selection.among(self.name, owners()) if self.name in selection.kinds else ()

    def about(self, unit: str) -> str:
        """Return the owner; what is traced of it is made apart from its evidence."""
        return f"reference of {unit}"

    def fresh(self, unit: str) -> bool:
        """Whether these vectors were traced, with formulas and versions as they are."""
        known = {v.name: v for v in evidence.traced(unit)}
        now = vectors(unit)
        return [v.name for v in now] == list(known) and all(
            _is_fresh(known[v.name], v) for v in now
        )

    def make(self, unit: str) -> Made:
        """Trace every vector."""
        from symledger.checks.traced.comparison import recorded

        made = [recorded(vector) for vector in vectors(unit)]
        failed = (f"{v.name}: {q}: {d}" for v in made for q, d in v.differs.items())
        return Made([evidence.plain(v) for v in made], tuple(failed))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write a file an owner."""
        changed = [
            path for owner, rows in made.items()
            for path in replaced(
                evidence.file_of(owner), evidence.written([evidence.Vector(**r) for r in rows])
            )
        ]  # fmt: skip
        evidence.traced.cache_clear()
        return changed

    def left_over(self) -> list[Path]:
        """Return the files of owners that are no more."""
        return others(evidence.FOLDER, map(evidence.file_of, owners()))


def asked(names: Iterable[str]) -> tuple[str, ...]:
    """Return the owners that some names stand for, all without any.

    Raises:
        UnknownTarget: there is no such name.
        BadInput: it is none of a family that transformers has.
    """
    found = tuple(dict.fromkeys(find(name).family for name in names)) or owners()
    for owner in found:
        if owner not in owners():
            raise BadInput(
                f"{shown(owner)} has no reference implementation that is traced: families are "
                f"that read configurations of transformers. {nearest(owner, owners())}"
            )
    return found


def _is_fresh(known: evidence.Vector, vector: Vector) -> bool:
    if not known.passed or known.implementation != vector.family.implementation:
        return False
    if known.torch != version("torch").partition("+")[0]:
        return False
    account = derive(vector.entry, vector.options)
    return all(account.fingerprint(q) == h for q, h in known.compared.items())
