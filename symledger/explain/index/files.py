"""The files of the index, one an owner of formulas: what is there is read, nothing is derived.

They travel with the package. A file that is not there, or is written in another format, is as good
as none: its owner is derived where it is asked for, with the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from symledger import records
from symledger.catalogue.entries import ENTRIES, place
from symledger.explain.index.notation import FORMAT
from symledger.explain.index.outline import Survey
from symledger.explain.index.reader import Reader
from symledger.explain.index.readings import Asked

FOLDER = records.FOLDER / "index"
OWNERS = tuple(dict.fromkeys(entry.family for entry in ENTRIES))


def path(owner: str) -> Path:
    """Return where the outlines of an owner lie."""
    return place(FOLDER, owner)


def surveys(asked: Sequence[Asked], owners: Collection[str] = OWNERS) -> dict[str, Survey]:
    """Return the surveys that are there, by owner, with what is asked for."""
    known = surveys_of(FOLDER, tuple(asked))
    return {owner: survey for owner in sorted(owners) if (survey := known[owner])}


class _Surveys(dict[str, Survey | None]):
    """The surveys of a folder by owner, read when they are asked for."""

    def __init__(self, folder: Path, asked: Sequence[Asked]) -> None:
        self.folder, self.reader = folder, Reader(asked)

    def __missing__(self, owner: str) -> Survey | None:
        self[owner] = found = _read(place(self.folder, owner), self.reader)
        return found


surveys_of = cache(_Surveys)


def _read(file: Path, reader: Reader) -> Survey | None:
    try:
        data: dict[str, Any] = json.loads(file.read_bytes())
        return reader.survey(data) if data["format"] == FORMAT else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None  # it is not there, or was not written by us
