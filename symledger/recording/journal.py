"""What a run has done so far, so that it goes on there after an interruption.

The journal is a file that ends with the run. It holds for these sources: where they have changed,
nothing of it counts.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from symledger.recording.kind import DRAFTS

PACKAGE = Path(__file__).parents[1]
SOURCES = ("*.py", "models/*/checkpoints/*.json", "**/*.toml")


def sources() -> str:
    """Return a fingerprint of the package, without what is recorded."""
    digest = sha256()
    for pattern in SOURCES:
        for file in sorted(PACKAGE.rglob(pattern)):
            digest.update(f"{file.relative_to(PACKAGE)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


@dataclass
class Journal:
    """The units that were made, by the names of their kinds, with what waits for others."""

    file: Path
    done: dict[tuple[str, str], Any] = field(default_factory=dict)

    @classmethod
    def opened(cls) -> Journal:
        """Return the journal of an interrupted run of these sources; a new one where none is."""
        file, now = DRAFTS / "journal", sources()
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        if lines[:1] != [now]:
            DRAFTS.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{now}\n", encoding="utf-8")
            return cls(file)
        found = cls(file)
        for line in lines[1:]:
            try:
                kind, unit, data = json.loads(line)
            except ValueError:
                break  # it was being written
            found.done[kind, unit] = data
        return found

    def kept(self, kind: str, units: Collection[str]) -> dict[str, Any]:
        """Return what waits for others of a kind, by unit."""
        return {u: data for (k, u), data in self.done.items() if k == kind and u in units and data}

    def add(self, kind: str, unit: str, data: Any) -> None:
        """Note that a unit was made."""
        self.done[kind, unit] = data
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps([kind, unit, data]) + "\n")

    def close(self) -> None:
        """Forget the run: all of it is written."""
        self.file.unlink(missing_ok=True)
