"""Pages in other languages within one build: what the theme says around them, and their search.

The theme reads the language, the navigation and the root of a site where it renders a page. So
each page is rendered with those of its language: for Spanish pages the site is the folder ``es``,
with a search of its own, while scripts and styles are those of English pages.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize
from urllib.parse import urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from symledger.languages.language import ENGLISH
from symledger.languages.message import message
from symledger.site.mkdocs.navigation import in_tongue, localized, own, say
from symledger.site.tongues import Tongue, counterparts, is_rendered

LINK = re.compile(r'(<a\b(?![^>]*\bhreflang=)[^>]*?\bhref=")(?!https?:|#|mailto:)([^"#]+)([^>]*)>')
ALTERNATE = re.compile(r'<link rel="alternate" href="([^"]*)"( hreflang="[^"]*">)')
TAG = re.compile(r"<[^>]*>")
LISTED = "alternate "
"""How such a link is written: the theme takes one without a space for the root of another site, and
asks it for its list of pages, which is not there."""
MARKED = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")
"""A word with letters that not everybody types: ``atención``."""
SEPARATED = " \\t\\n\\r\u00a0"
"""White space between words: the narrow space within a number is none."""


@dataclass
class Tongues:
    """The languages of a build, English first."""

    config: MkDocsConfig
    files: Files
    tongues: dict[str, Tongue]
    english: Navigation
    description: str
    _navigations: dict[str, Navigation] = field(default_factory=dict)

    @cached_property
    def foreign(self) -> list[Tongue]:
        """The languages beside English."""
        return [tongue for tongue in self.tongues.values() if not tongue.is_english]

    def of(self, path: str) -> Tongue:
        """Return the language of a page or file, by the folder that it lies in."""
        return self.tongues.get(path.partition("/")[0], self.tongues[ENGLISH])

    @property
    def shown(self) -> list[Page]:
        """The pages whose titles stand in a navigation, beside English ones."""
        pages = (own(page, t, self.files) for t in self.foreign for page in self.english.pages)
        return [page for page in pages if page]

    def navigation(self, tongue: Tongue) -> Navigation:
        """Return the navigation of a language, once titles are known."""
        if tongue.is_english:
            return self.english
        if tongue.language not in self._navigations:
            found = in_tongue(self.english, tongue, self.files)
            self._navigations[tongue.language] = found
        return self._navigations[tongue.language]

    def speak(self, context: TemplateContext, page: Page) -> None:
        """Have the theme render a page in its language, with a switch to the others."""
        tongue = self.of(page.file.src_uri)
        localized(self.config.theme, tongue.language)
        self.config.site_description = say(tongue.language, self.description)
        self.config.extra["alternate"] = [
            {"name": message("language.name").said(language), "lang": language,
             "link": posixpath.splitext(path)[0] + ".html"}
            for language, path in self.there(page).items()
        ]  # fmt: skip
        self.config.extra.pop("scope", None)
        if not tongue.is_english:
            context["nav"] = self.navigation(tongue)
            self.config.extra["scope"] = context["base_url"]
            context["base_url"] = posixpath.relpath(tongue.language, posixpath.dirname(page.url))

    def there(self, page: Page) -> dict[str, str]:
        """Return where the switch of a page leads."""
        path = page.file.src_uri
        return counterparts(path, self.of(path), self.tongues, self.files.src_uris)

    def finished(self, html: str, page: Page) -> str:
        """Say of links which lead to English, and where the site's address is known, give it."""
        path = page.file.src_uri
        base = urljoin(self.config.site_url, page.url) if self.config.site_url else ""
        rendered = is_rendered(path, self.there(page))

        def listed(m: re.Match[str]) -> str:
            return f'<link rel="{LISTED}" href="{urljoin(base, m[1])}"{m[2]}' if rendered else ""

        return marked(ALTERNATE.sub(listed, html), self.of(path), page.url)

    def parted(self, index: Any, kept: dict[str, list[dict[str, Any]]]) -> None:
        """Take what was found in other languages out of the index, and write indices of theirs.

        ``kept`` are the entries of earlier builds, of which a build while serving renews some.
        """
        for tongue in self.foreign:
            root = tongue.home("")
            mine = [entry for entry in index.entries if entry["location"].startswith(root)]
            index.entries = [e for e in index.entries if not e["location"].startswith(root)]
            mine = [{**e, "location": e["location"].removeprefix(root)} for e in mine]
            anew = {entry["location"].partition("#")[0] for entry in mine}
            mine += [e for e in kept.get(tongue.language, ())
                     if e["location"].partition("#")[0] not in anew]  # fmt: skip
            kept[tongue.language] = mine
            self._write(index, tongue, mine)

    def _write(self, index: Any, tongue: Tongue, entries: list[dict[str, Any]]) -> None:
        config = {**index.config, "lang": [tongue.language]}
        config["separator"] = config["separator"].replace(r"\s", SEPARATED)
        other = type(index)(**config)
        other.entries = [_plainly(entry) for entry in entries]
        data = other.generate_search_index(None)
        folder = Path(self.config.site_dir) / tongue.language / "search"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "search_index.json").write_text(data, encoding="utf-8")
        (folder / "search_index.js").write_text(f"var __index = {data}", encoding="utf-8")


def marked(html: str, tongue: Tongue, address: str) -> str:
    """Say of the links of a page which lead to English ones."""
    if tongue.is_english:
        return html
    return LINK.sub(lambda m: _marked(m, tongue, posixpath.dirname(address)), html)


def _marked(m: re.Match[str], tongue: Tongue, folder: str) -> str:
    target = posixpath.normpath(posixpath.join(folder, m[2]))
    leaves = target.endswith(".html") and not target.startswith(f"{tongue.language}/")
    return m[1] + m[2] + m[3] + (' hreflang="en">' if leaves else ">")


def _plainly(entry: dict[str, Any]) -> dict[str, Any]:
    """Let what the search finds be found by its words without accents too: ``atencion``."""
    said = MARKED.findall(f"{entry['title']} {TAG.sub(' ', entry['text'])}".lower())
    plain = sorted({unaccented(word) for word in said} - {*said})
    found = " ".join([*entry.get("found", "").split(), *plain])
    return {**entry, "found": found} if found else entry


def unaccented(text: str) -> str:
    """Write a text without the marks on its letters.

    >>> unaccented("atención, tamaño, pingüino")
    'atencion, tamano, pinguino'
    """
    return "".join(letter for letter in normalize("NFD", text) if not combining(letter))
