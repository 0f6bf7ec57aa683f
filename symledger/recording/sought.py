"""Which owners may give a number, gathered from the index and from the sizes of configurations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symledger.explain.gathering import gathered
from symledger.explain.index import checkpoint_sizes, files
from symledger.explain.index.sought import FILE, NUMBERS, recorded, sought
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.selection import Selection


class Sought(Kind):
    """Every amount of every owner at every known size, by what numbers it is found."""

    name = "sought"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return all of it; where only an owner is asked for, if that has changed the index."""
        asked = selection.named(self.name)
        return ("all amounts",) if asked or not self.fresh("") else ()

    def fresh(self, unit: str) -> bool:
        """Whether it was made of this index and these sizes."""
        return recorded(FILE, NUMBERS) is not None

    def make(self, unit: str) -> Made:
        """Gather it from what is recorded now."""
        files.surveys_of.cache_clear()
        checkpoint_sizes.known.cache_clear()
        return Made(gathered())

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write both files."""
        changed = []
        for text, numbers in made.values():
            changed = replaced(FILE, text)
            if not NUMBERS.is_file() or NUMBERS.read_bytes() != numbers:
                NUMBERS.write_bytes(numbers)
                changed.append(NUMBERS)
        sought.cache_clear()
        return changed
