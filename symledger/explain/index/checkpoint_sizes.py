"""The sizes of published configurations: worked out beforehand, a file for each file of these.

Reading a configuration takes a while, and there are hundreds. A file that is not there is as good
as none: its configurations are read where they are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from symledger import records
from symledger.catalogue import checkpoints
from symledger.catalogue.checkpoints import Checkpoint
from symledger.catalogue.entries import BY_NAME, ENTRIES
from symledger.explain.index.known import FIRST, PUBLISHED, Known
from symledger.sizes import BY_NAME as SIZES

__all__ = ["gathered", "is_stale", "known", "path", "resolved", "units", "written"]

FOLDER = records.FOLDER / "checkpoint_sizes"
FORMAT = 1
CATALOGUE = "catalogue"
"""What holds the sizes of those entries that have some."""


def units() -> tuple[str, ...]:
    """Return everything that has a file of its own: files of configurations, and the catalogue."""
    return (CATALOGUE, *_files())


def path(unit: str) -> Path:
    """Return where the sizes of a file of configurations lie."""
    if unit == CATALOGUE:
        return FOLDER / f"{unit}.json"
    return FOLDER / "models" / _files()[unit][0].parents[1].name / f"{unit}.json"


def written(unit: str) -> str:
    """Return the text of that file."""
    rows = ([k.name, k.source, k.sizes, k.family, k.options] for k in resolved(unit))
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{{"format": {FORMAT},\n"known": [\n{lines}]}}\n'


def is_stale(unit: str) -> bool:
    """Whether that file is not there, or holds other sizes than are read now."""
    file = path(unit)
    return not file.is_file() or file.read_text(encoding="utf-8") != written(unit)


@cache
def known() -> tuple[Known, ...]:
    """The configurations of the catalogue and of the package, those of known families first."""
    return _together({unit: _recorded(path(unit)) or resolved(unit) for unit in units()})


@cache
def gathered() -> tuple[Known, ...]:
    """Return the same, read from where they stand."""
    return _together({unit: resolved(unit) for unit in units()})


def _together(found: Mapping[str, Sequence[Known]]) -> tuple[Known, ...]:
    catalogued = found[CATALOGUE]
    published = chain.from_iterable(found.values())
    own = [k for k in published if k in catalogued or not any(map(k.repeats, catalogued))]
    own.sort(key=lambda k: FIRST.index(k.family) if k.family in FIRST else len(FIRST))
    return (*own, *(k for k in PUBLISHED if not any(map(k.repeats, own))))


def _recorded(file: Path) -> list[Known] | None:
    try:
        data = json.loads(file.read_bytes())
        return [Known(*row) for row in data["known"]] if data["format"] == FORMAT else None
    except (OSError, ValueError, LookupError, TypeError):
        return None  # it is not there, or was not written by us


@cache
def _files() -> dict[str, list[Path]]:
    """Return the files of configurations by their names, in order."""
    found: dict[str, list[Path]] = {}
    for file in checkpoints.files():
        found.setdefault(file.stem, []).append(file)
    return found


def resolved(unit: str) -> list[Known]:
    """Return what that file has to hold: configurations, read now."""
    if unit == CATALOGUE:
        configured = [entry for entry in ENTRIES if entry.configured]
        return [Known(e.name, "the catalogue", e.configuration(), e.family) for e in configured]
    return [_known(one) for file in _files()[unit] for one in checkpoints.read(file)]


def _known(one: Checkpoint) -> Known:
    """Read the sizes and choices of a published configuration, by the entry that it is of."""
    from symledger.configs.read import published

    if not one.config:
        options = {name: str(text).lower() for name, text in one.options.items()}
        return Known(one.name, one.source, one.sizes, BY_NAME[one.entry].family, options)
    found = published(one)
    sizes = {name: int(text) for name, text in found.settings.items() if name in SIZES}
    options = {name: text for name, text in found.settings.items() if name not in SIZES}
    return Known(one.name, one.source, sizes, BY_NAME[found.built.entry].family, options)
