"""What is recorded of reference implementations: what is in memory when a step of one is run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from symledger.checks.traced.vectors import owners
from symledger.errors import BadInput
from symledger.recording.kind import Kind, Made, others, replaced
from symledger.recording.selection import Selection
from symledger.targets.observed import FOLDER, file_of, observed, to_data


class Alive(Kind):
    """The classes that families are read for, what is in memory when they are trained.

    That takes a minute a family: it is made only where its name is said, of the owners that are
    named beside it, else of those that have it.
    """

    name = "alive"
    needs = ("torch", "transformers")

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the owners of formulas that have a class in transformers."""
        if self.name not in selection.kinds:
            return ()
        asked = selection.among(self.name, owners())
        return tuple(o for o in asked if o in selection.owners or file_of(o).is_file())

    def about(self, unit: str) -> str:
        """Return the owner; what is looked at of it is made apart from its evidence."""
        return f"memory of {unit}"

    def fresh(self, unit: str) -> bool:
        """Whether it was looked at with these versions."""
        now = version("torch").partition("+")[0]
        known = observed(unit)
        return bool(known) and all(
            one.torch == now and one.implementation.endswith(version("transformers"))
            for one in known
        )

    def make(self, unit: str) -> Made:
        """Run a step of the class, at many sizes."""
        from symledger.checks.traced.alive import observed as looked_at

        try:
            return Made([to_data(one) for one in looked_at(unit)])
        except BadInput as error:
            return Made([], (f"{unit}: {error}",))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write a file an owner, a class a line; none where nothing could be said."""
        changed = [
            path for owner, rows in made.items() if rows
            for path in replaced(file_of(owner), written(rows))
        ]  # fmt: skip
        observed.cache_clear()
        return changed

    def left_over(self) -> list[Path]:
        """Return the files of owners that are no more."""
        return others(FOLDER, map(file_of, owners()))


def written(rows: list[Any]) -> str:
    """Write a file, a class a line."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
