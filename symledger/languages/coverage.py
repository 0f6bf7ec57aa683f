"""How much of the English catalogue a language says: messages counted by their first word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from symledger.languages.language import ENGLISH, LOCALE, pattern

KEY = re.compile(r'^msgid "(.+)"$', re.MULTILINE)
FUZZY = re.compile(r"^#,.*\bfuzzy\b", re.MULTILINE)


@dataclass(frozen=True)
class Coverage:
    """Messages of one area: how many there are, how many are said, how many are stale.

    Stale is what renders English that is said otherwise now; it is not shown.
    """

    area: str
    total: int
    said: int
    stale: int

    @property
    def missing(self) -> int:
        """How many fall back to English."""
        return self.total - self.said


def coverage(language: str) -> list[Coverage]:
    """Return what a language says, area by area."""
    stale = {key for key, fuzzy in _entries(language) if fuzzy}
    areas: dict[str, list[str]] = {}
    for key, _ in _entries(ENGLISH):
        areas.setdefault(key.partition(".")[0], []).append(key)
    return [
        Coverage(area, len(keys), sum(pattern(language, key) is not None for key in keys),
                 sum(key in stale for key in keys))
        for area, keys in sorted(areas.items())
    ]  # fmt: skip


def _entries(language: str) -> Iterator[tuple[str, bool]]:
    """Yield the keys of a catalogue, and whether somebody has to look at what it says."""
    text = (LOCALE / language / "LC_MESSAGES" / "symledger.po").read_text(encoding="utf-8")
    for entry in text.split("\n\n"):
        found = KEY.search(entry)
        if found:
            yield found[1], bool(FUZZY.search(entry))
