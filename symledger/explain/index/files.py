"""The files of the index, one an owner of formulas: what is there is read, nothing is derived.

They travel with the package. A file that is not there, or is written in another format, is as good
as none: its owner is derived where it is asked for, with the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from symledger import records
from symledger.explain.index.notation import FORMAT
from symledger.explain.index.outline import Survey
from symledger.explain.index.reader import Reader
from symledger.explain.index.readings import Asked

FOLDER = records.FOLDER / "index"


def path(owner: str) -> Path:
    """Return where the outlines of an owner lie."""
    return FOLDER / f"{owner}.json"


def surveys(asked: Sequence[Asked]) -> dict[str, Survey]:
    """Return the surveys that are there, by owner, with what is asked for."""
    return _surveys(FOLDER, tuple(asked))


@cache
def _surveys(folder: Path, asked: Sequence[Asked]) -> dict[str, Survey]:
    reader = Reader(asked)
    found = {file.stem: _read(file, reader) for file in sorted(folder.glob("*.json"))}
    return {owner: survey for owner, survey in found.items() if survey}


def _read(file: Path, reader: Reader) -> Survey | None:
    try:
        data: dict[str, Any] = json.loads(file.read_bytes())
        return reader.survey(data) if data["format"] == FORMAT else None
    except (ValueError, LookupError, TypeError, AttributeError):
        return None  # it was not written by us
