"""What `explain` searches: the outlines of the catalogue, and sizes that were published."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symledger.explain.index import outlines, usual
from symledger.explain.index.stamp import FOLDER
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.selection import Selection


class Index(Kind):
    """The index, as a whole."""

    name = "index"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the index, which is of all owners."""
        return ("index",)

    def about(self, unit: str) -> str:
        """Return what is made by one process."""
        return unit

    def fresh(self, unit: str) -> bool:
        """Whether it was derived with sources that are as they were."""
        return all(outlines.indexed(asked) is not None for asked in outlines.FILES.values())

    def make(self, unit: str) -> Made:
        """Derive all of it."""
        found = {f"{n}.json": outlines.written(found) for n, found in outlines.derived().items()}
        return Made({**found, usual.FILE: usual.written()})

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write its files."""
        files = {name: text for found in made.values() for name, text in found.items()}
        return [path for name, text in files.items() for path in replaced(FOLDER / name, text)]
