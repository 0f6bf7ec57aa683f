"""Published configurations by name, each with its source: ``llama-3-8b``.

They lie in the folders of families, ``models/FAMILY/checkpoints``, as their authors wrote them: a
``config`` with the keys of the hub, or where there is none ``sizes`` and ``options`` of an entry.
Sizes that a configuration does not say stand beside it: of the images that a detector was trained
on. There may stand the ``total`` that was published, with which the derived one is compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from os.path import isdir
from pathlib import Path
from typing import Any

from symledger.errors import BadInput, DefinitionError, nearest, shown

MODELS = Path(__file__).parents[1] / "models"


@dataclass(frozen=True)
class Total:
    """How many parameters were published: ``said`` as it stands there, an integer or ``671B``.

    Where others are derived, ``why`` names the reasons (``total.why.…`` of the messages), and
    ``more`` is what they come to, in the sizes of the configuration: ``V*d`` for a tied head that
    is stored once more. It may be missing where no size says it: a tower for images.
    """

    said: int | str
    source: str
    why: tuple[str, ...] = ()
    more: str = ""

    def is_told_by(self, n: int) -> bool:
        """Whether a number is this one, at the precision at which it was published.

        >>> Total("671B", "a paper").is_told_by(671_026_404_352)
        True
        """
        if isinstance(self.said, int):
            return self.said == n
        figures = Decimal(self.said[:-1].replace(",", ""))
        beyond = (n / Decimal(UNITS[self.said[-1]]) - figures).scaleb(
            -int(figures.as_tuple().exponent)
        )
        return 0 <= beyond < 1 if "rounded" in self.why else abs(beyond) * 2 <= 1


UNITS = {"K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}


@dataclass(frozen=True)
class Checkpoint:
    """A configuration that somebody published: its name, where it stands, and what it says."""

    name: str
    source: str
    config: Mapping[str, Any] = field(default_factory=dict)
    entry: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    total: Total | None = None


@cache
def checkpoints() -> Mapping[str, Checkpoint]:
    """Return every published configuration by name, in the order of the names of their files.

    Raises:
        DefinitionError: a file cannot be read, or two give one name.
    """
    found: dict[str, Checkpoint] = {}
    places: dict[str, Path] = {}
    for file in files():
        for one in read(file):
            if one.name in found:
                raise DefinitionError(
                    f"{one.name} stands in {_said(places[one.name])} and in {_said(file)}: leave "
                    "one out, or call it otherwise."
                )
            found[one.name], places[one.name] = one, file
    return found


def files() -> list[Path]:
    """Return the files of all families, in the order of their names."""
    return sorted(MODELS.glob("*/checkpoints/*.json"), key=lambda file: (file.stem, file))


def read(file: Path) -> Iterator[Checkpoint]:
    """Yield the configurations of a file.

    Raises:
        DefinitionError: it cannot be read.
    """
    try:
        for name, row in json.loads(file.read_text(encoding="utf-8")).items():
            total = row.pop("total", None)
            yield Checkpoint(name, **row, total=total and _total(**total))
    except (ValueError, TypeError, AttributeError) as error:
        raise DefinitionError(
            f"{_said(file)} cannot be read: {error}. It holds an object with a name for each "
            "configuration: an object with its source, and its config; or its entry and sizes."
        ) from error


def _total(why: Iterable[str] = (), **said: Any) -> Total:
    return Total(**said, why=tuple(why))


def _said(file: Path) -> str:
    return file.relative_to(MODELS.parents[1]).as_posix()


def missing(path: str) -> BadInput:
    """Say of a path at which nothing is read that nothing is downloaded, and what is known here.

    Models go by the name of who published them and their own on a hub: that is named in sources.
    """
    if isdir(path):
        return BadInput(f"{shown(path)} is a folder without config.json.")
    said = re.compile(rf"(?<![\w/.-]){re.escape(path)}(?![\w/.-])", re.IGNORECASE)
    here = [name for name, one in checkpoints().items() if said.search(one.source)]
    known = f"It is known here as {here[0]}." if here else nearest(Path(path).name, checkpoints())
    return BadInput(f"{shown(path)} is no file or folder, and nothing is downloaded. {known}")
