"""What `explain` searches: the outlines of the catalogue, and the sizes of checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from symledger.explain.index import checkpoint_sizes, files, update
from symledger.recording.kind import Kind, Made, others, replaced
from symledger.recording.selection import CATALOGUED, Selection


class Index(Kind):
    """The outlines of an owner's formulas."""

    name = "index"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the owners of formulas."""
        return selection.among(self.name, CATALOGUED)

    def fresh(self, unit: str) -> bool:
        """Whether the outlines are those that are drawn now."""
        return _is(update.path(unit), _written(unit))

    def make(self, unit: str) -> Made:
        """Draw the outlines of an owner."""
        return Made(_written(unit))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write the files of owners."""
        return [p for unit, text in made.items() for p in replaced(update.path(unit), text)]

    def left_over(self) -> list[Path]:
        """Return the files of what is no owner any more."""
        return others(files.FOLDER, map(update.path, CATALOGUED))


class CheckpointSizes(Kind):
    """The sizes of published configurations, by the files that these are in."""

    name = "sizes"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the files of configurations, and what stands for the catalogue."""
        every = checkpoint_sizes.units()
        return tuple(
            unit for unit in every
            if selection.whole(self.name) or any(
                selection.includes(self.name, {known.name, known.family})
                for known in checkpoint_sizes.resolved(unit)
            )
        )  # fmt: skip

    def about(self, unit: str) -> str:
        """Return what is made by one process: all of them, which take no time."""
        return "sizes of configurations"

    def fresh(self, unit: str) -> bool:
        """Whether the sizes are those that are read now."""
        return not checkpoint_sizes.is_stale(unit)

    def make(self, unit: str) -> Made:
        """Read the sizes of the configurations in a file."""
        return Made(checkpoint_sizes.written(unit))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write the sizes of files."""
        path = checkpoint_sizes.path
        return [p for unit, text in made.items() for p in replaced(path(unit), text)]

    def left_over(self) -> list[Path]:
        """Return what is of a file that is no more."""
        return others(
            checkpoint_sizes.FOLDER, map(checkpoint_sizes.path, checkpoint_sizes.units())
        )


@lru_cache(maxsize=1)
def _written(owner: str) -> str:
    return update.written(owner)


def _is(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text
