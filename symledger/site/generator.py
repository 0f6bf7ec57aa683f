"""The generator: one pure function from the package to every page and asset of the site.

No clock, no network, no order but the catalogue's: two runs give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import sha256

from symledger.accounts.gc_pause import uncollected
from symledger.languages.language import ENGLISH
from symledger.site import resources
from symledger.site import workers as shares
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds import KINDS, PIECEWISE, TRANSLATED, Kind, formula
from symledger.site.memory import Kept, Memory, place
from symledger.site.pages import Page
from symledger.site.sources import digest
from symledger.site.tongues import Tongue, foreign

MANIFEST = "manifest.json"
"""The file that lists every generated page and file with its hash."""


@dataclass(frozen=True)
class Site:
    """Everything that is generated, by path."""

    memory: Memory = field(default_factory=Memory)

    @cached_property
    def tongues(self) -> dict[str, Tongue]:
        """The languages that there are pages in, English first."""
        others = (Tongue(name, translated(self.atlas, name)) for name in foreign())
        found = (Tongue(ENGLISH), *(tongue for tongue in others if tongue.paths))
        return {tongue.language: tongue for tongue in found}

    @cached_property
    def atlas(self) -> Atlas:
        """The accounts that pages are made of."""
        self.memory.asked["tongue"] = lambda name: digest(sorted(self.tongues[name].paths))
        return Atlas(self.memory)

    @cached_property
    def pages(self) -> dict[str, Page]:
        """Every generated page."""
        with uncollected():
            if shares.processes() > 1:
                self._share()
            return {page.path: page for page in self._all_pages()}

    def _share(self) -> None:
        """Have other processes make what is not known, of accounts that are derived once."""
        self.memory.keeps = True
        with self.memory.later() as pieces:
            for _ in self._all_pages():
                pass
            for kind in KINDS:
                kind.assets(self.atlas)
        if pieces:
            formula.links_of(self.atlas).used_by  # noqa: B018  # made once, before processes part
        shares.make(self.memory, pieces)

    def _all_pages(self) -> Iterator[Page]:
        for tongue in self.tongues.values():
            templates = self.templates(tongue)
            for kind in KINDS if tongue.is_english else TRANSLATED:
                yield from self._pages(kind, templates)

    def templates(self, tongue: Tongue) -> Templates:
        """Return the templates in a language; what pages are made of is noted for the memory."""
        return Templates(tongue, partial(self._note, tongue))

    def _note(self, tongue: Tongue, template: str) -> None:
        self.memory.note("template", template)
        if not tongue.is_english:
            self.memory.note("tongue", tongue.language)

    def _pages(self, kind: Kind, templates: Templates) -> Iterable[Page]:
        """Return the pages of a kind; one that does not remember them itself reads everything."""
        if kind in PIECEWISE:
            return kind.pages(self.atlas, templates)

        def make() -> Iterable[Page]:
            self.memory.note_all()
            return kind.pages(self.atlas, templates)

        return self.memory.pages(templates.tongue.named(kind.__name__), make)

    @cached_property
    def assets(self) -> dict[str, bytes]:
        """Every generated file that is no page, and the site's own scripts, styles and fonts."""
        folder = resources.assets()
        found = {
            f"assets/{file.relative_to(folder).as_posix()}": file.read_bytes()
            for file in sorted(folder.rglob("*")) if file.is_file()
        }  # fmt: skip
        with uncollected():
            for kind in KINDS:
                found.update(kind.assets(self.atlas))
        found[MANIFEST] = self._manifest(found)
        return dict(sorted(found.items()))

    def _manifest(self, assets: dict[str, bytes]) -> bytes:
        pages = {path: page.merged.encode() for path, page in self.pages.items()}
        hashes = {
            path: sha256(content).hexdigest()
            for path, content in sorted({**pages, **assets}.items())
        }
        return (json.dumps(hashes, indent=0) + "\n").encode()

    @cached_property
    def by_hand(self) -> tuple[Page, ...]:
        """The pages that no generator makes."""
        files = sorted(resources.docs().glob("*.md"))
        return tuple(Page(file.name, file.read_text(encoding="utf-8")) for file in files)

    @cached_property
    def made(self) -> dict[str, tuple[str, tuple[str, ...]] | bytes]:
        """Every page, as its source and its blocks, and every file that is no page, by path."""
        pages = {path: (page.source, page.blocks) for path, page in self.pages.items()}
        return {**pages, **self.assets}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield every file of the written folder, sorted by path."""
        pages = {path: page.merged.encode() for path, page in self.pages.items()}
        yield from sorted({**pages, **self.assets}.items())

    def children(self, folder: str) -> list[str]:
        """Return the pages that lie in a folder itself, in the order in which they were made."""
        return [path for path in self.pages if path.rpartition("/")[0] == folder.rstrip("/")]


def translated(atlas: Atlas, language: str) -> frozenset[str]:
    """Return the pages that a language has, by their English paths."""
    return frozenset(p for kind in TRANSLATED for p in kind.translated(atlas, language))


def remembered(before: Kept | None = None) -> Site:
    """Return the site, made with what earlier builds left in the memory; saving adds to it."""
    return Site(Memory(place(), before))
