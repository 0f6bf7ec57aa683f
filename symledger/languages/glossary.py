"""The glossary: the words of the field, and what each language says for them everywhere."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symledger.languages.language import ENGLISH

FILE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Term:
    """A word of the field: its English, what other languages say, and why, where one chose."""

    english: str
    others: Mapping[str, str]
    notes: Mapping[str, str]


def glossary() -> tuple[Term, ...]:
    """Return the words of the field, which translators keep to, in the order of their English.

    >>> next(term for term in glossary() if term.english == "bias").others
    {'es': 'sesgo'}
    """
    rows: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["terms"]
    return tuple(
        Term(row.pop(ENGLISH), row, row.pop("note", {}))
        for row in sorted(rows, key=lambda row: row[ENGLISH])
    )
