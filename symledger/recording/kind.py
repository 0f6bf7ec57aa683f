"""A kind of record: what it is recorded of, whether that is fresh, and how it is made and kept.

What is recorded of one unit (an owner, mostly) is made by one process and is data for JSON. Most
kinds have a file for each unit, which that process writes. What lies in one file with that of
others is ``merged`` into it by the process that waits for all; where numbers or tags depend on
what else there is, ``together``, once all units are there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from symledger import records
from symledger.recording.selection import Selection

DRAFTS = records.FOLDER / ".recording"
"""What is not done yet: files that are being written, and what an interrupted run has made."""


@dataclass(frozen=True)
class Made:
    """What is recorded of a unit, and which checks failed, each said in a line."""

    data: Any
    failed: tuple[str, ...] = ()


class Kind(ABC):
    """One kind of record."""

    name: ClassVar[str]
    """What it is called, on the command line too."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Packages without which none is made: what is recorded stays."""
    asks: ClassVar[tuple[str, ...]] = ()
    """Packages without which less is made: what they said stays."""
    writing: ClassVar[Literal["apart", "merged", "together"]] = "apart"

    @abstractmethod
    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return what it is recorded of, as far as that is asked for."""

    def about(self, unit: str) -> str:
        """Return the owner that a unit belongs to: one process makes all that is of one owner."""
        return unit

    @abstractmethod
    def fresh(self, unit: str) -> bool:
        """Whether what is recorded of a unit is of what it is now."""

    @abstractmethod
    def make(self, unit: str) -> Made:
        """Make what is to be recorded of a unit.

        Raises:
            SymledgerError: it cannot be made.
        """

    @abstractmethod
    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write what was made of some units; return the files that have changed by it."""

    def left_over(self) -> list[Path]:
        """Return files of units that are no more."""
        return []


def replaced(file: Path, text: str) -> list[Path]:
    """Write a file, whole or not at all; return it if it has changed."""
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return []
    DRAFTS.mkdir(parents=True, exist_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = DRAFTS / "-".join(file.parts[-4:])
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)
    return [file]


def others(folder: Path, files: Iterable[Path]) -> list[Path]:
    """Return the files of a folder that are none of these."""
    return sorted({*folder.rglob("*.json")}.difference(files))
