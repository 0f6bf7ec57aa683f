"""The permanent tag of every formula: what is registered keeps its own, whatever else comes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.owner import plain
from symledger.recording.selection import CATALOGUED, Selection
from symledger.tags.registry import FILE, parse, recorded, registered, written
from symledger.tags.update import fingerprints, updated
from symledger.version import VERSION


class Tags(Kind):
    """New formulas get tags, and a changed canonical form raises the revision.

    Tags are drawn among those that are not taken: so all of a run are written together.
    """

    name = "tags"
    writing = "together"

    def __init__(self, why: str = "", successor: str = "") -> None:
        self.why, self.successor = why, successor

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the owners of formulas, those that are no more too."""
        gone = {tagged.owner for tagged in registered().values() if not tagged.removed}
        return selection.among(self.name, (*CATALOGUED, *sorted(gone.difference(CATALOGUED))))

    def fresh(self, unit: str) -> bool:
        """Whether the registry has the formulas of an owner as they are."""
        known = [tagged for tagged in registered().values() if tagged.owner == unit]
        return {t.id: t.hash for t in known if not t.removed} == _fingerprints(unit)

    def make(self, unit: str) -> Made:
        """Return the fingerprints of an owner's formulas."""
        return Made(_fingerprints(unit))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Bring the registry up to date; formulas of other owners are as they were.

        Raises:
            BadInput: a formula is gone, and nobody said why.
        """
        before = parse(recorded())
        now = {t.id: t.hash for t in before if t.owner not in made and not t.removed}
        for found in made.values():
            now.update(found)
        after = updated(before, now, VERSION, self.why, self.successor)
        changed = replaced(FILE, written(after))
        registered.cache_clear()
        return changed


def _fingerprints(owner: str) -> dict[str, str]:
    return fingerprints([plain(owner)] if owner in CATALOGUED else [])
