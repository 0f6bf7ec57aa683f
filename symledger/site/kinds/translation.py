"""The page of a language that counts what it does not say yet: messages, and texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symledger.catalogue import texts
from symledger.catalogue.entry import Entry
from symledger.languages.coverage import Coverage, coverage
from symledger.languages.message import Text, message
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.pages import Page
from symledger.site.text.names import title
from symledger.site.tongues import speaks

PATH = "translation.md"
TEMPLATE = "translation.md.j2"
MODELS = message("nav.Models")


@dataclass(frozen=True)
class Written:
    """The texts of a topic, or of models: pages that have one, that lack one, that are stale."""

    topic: Text
    entries: tuple[Entry, ...]
    missing: tuple[Entry, ...]
    stale: tuple[Entry, ...]


@dataclass(frozen=True)
class Translation:
    """What a language says, and what it lacks."""

    atlas: Atlas
    language: str

    @property
    def messages(self) -> list[Coverage]:
        """The messages by area."""
        return coverage(self.language)

    @property
    def said(self) -> int:
        """How many messages are said."""
        return sum(area.said for area in self.messages)

    @property
    def total(self) -> int:
        """How many messages there are."""
        return sum(area.total for area in self.messages)

    @property
    def texts(self) -> list[Written]:
        """The texts of components by topic, then those of models."""
        english, own = texts.files(texts.LANGUAGE), texts.files(self.language)
        stale = texts.stale(self.language)
        found = []
        for topic, entries in (*self.atlas.components.items(), (MODELS, self.atlas.models)):
            there = tuple(entry for entry in entries if entry.name in english)
            found.append(Written(
                topic, there, tuple(entry for entry in there if entry.name not in own),
                tuple(entry for entry in there if entry.name in stale),
            ))  # fmt: skip
        return found


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the page of a language that is not English."""
    if not templates.tongue.is_english and templates.tongue.has(PATH):
        found = Translation(atlas, templates.language)
        yield templates.page(PATH, TEMPLATE, atlas=atlas, translation=found, title=title)


def translated(atlas: Atlas, language: str) -> list[str]:
    """Return its path, where a language has words for it."""
    del atlas
    return [PATH] if speaks(language, TEMPLATE) else []


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}
