"""The page of all model types of the implementation: which are read, and what others need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symledger.catalogue.entry import Entry
from symledger.configs.families import READERS
from symledger.configs.unread import ModelType, model_types, version
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.pages import Page

PATH = "models/types.md"
TEMPLATE = "types.md.j2"


@dataclass(frozen=True)
class Lacking:
    """What some types need that is not derived, and which types those are."""

    what: str
    types: tuple[ModelType, ...]


@dataclass(frozen=True)
class Types:
    """All model types: those that are read, by the definition they are built of, and others."""

    atlas: Atlas

    @property
    def version(self) -> str:
        """The version of the implementation."""
        return version()

    @property
    def number(self) -> int:
        """How many types the implementation knows."""
        return len(model_types())

    @property
    def read(self) -> list[tuple[Entry, list[str]]]:
        """The types that are read, by the entry of the catalogue that reads them."""
        found: dict[str, tuple[Entry, list[str]]] = {}
        for name, entry in READERS["model_type"].items():
            if name in model_types():
                found.setdefault(entry.name, (entry, []))[1].append(name)
        return list(found.values())

    @property
    def number_read(self) -> int:
        """How many of them are read."""
        return sum(len(names) for _, names in self.read)

    @property
    def lacking(self) -> list[Lacking]:
        """The others by what they need, which most types need first."""
        found: dict[str, list[ModelType]] = {}
        for one in model_types().values():
            if one.name not in READERS["model_type"]:
                found.setdefault(one.lacks, []).append(one)
        every = (Lacking(what, tuple(types)) for what, types in found.items())
        return sorted(every, key=lambda one: (-len(one.types), one.what))


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the page."""
    yield templates.page(PATH, TEMPLATE, atlas=atlas, types=Types(atlas))


def translated(atlas: Atlas, language: str) -> list[str]:
    """Return no path: it is in English alone."""
    del atlas, language
    return []


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}
