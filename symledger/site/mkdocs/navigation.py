"""The navigation: what the configuration says, ``components/*`` written out, and in languages."""

from __future__ import annotations

from collections.abc import MutableMapping
from itertools import pairwise
from typing import Any

from mkdocs.structure import StructureItem
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Link, Navigation, Section
from mkdocs.structure.pages import Page

from symledger.languages import message
from symledger.languages.message import Text, word
from symledger.site.atlas import TOPICS
from symledger.site.generator import Site
from symledger.site.text.worded import slug
from symledger.site.tongues import Tongue

STAR = "/*"


def say(language: str, text: str) -> str:
    """Say words of the configuration in a language; what is a message already, as that."""
    known = text if isinstance(text, Text) else word(f"nav.{slug(text)}", text)
    return str(message.say(language, known))


def localized(theme: MutableMapping[str, Any], language: str) -> None:
    """Let the theme speak a language: its own words, and those we gave it."""
    theme["language"] = language
    for colours in theme.get("palette", ()):
        english = colours["toggle"].setdefault("english", colours["toggle"]["name"])
        colours["toggle"]["name"] = say(language, english)


def expanded(items: list[Any], site: Site) -> list[Any]:
    """Replace ``{"Components": "components/*"}`` by the pages of that folder, by topic."""
    return [_expanded(item, site) for item in items]


def _expanded(item: Any, site: Site) -> Any:
    if isinstance(item, dict):
        return {title: _value(value, site) for title, value in item.items()}
    return item


def _value(value: Any, site: Site) -> Any:
    if isinstance(value, list):
        return expanded(value, site)
    if value == "components/*":
        topics = site.atlas.components.items()
        return ["components/index.md",
                *({str(topic): [site.atlas.page_of(e.name) for e in entries]}
                  for topic, entries in topics)]  # fmt: skip
    if str(value).endswith(STAR):
        return site.children(str(value).removesuffix("*"))
    return value


def in_tongue(english: Navigation, tongue: Tongue, files: Files) -> Navigation:
    """Return the navigation of a language: its own pages where it has them, else links to English.

    Pages that are not in it know nothing of it, as in English.
    """
    pages: list[Page] = []
    items = [_in_tongue(item, tongue, files, pages) for item in english.items]
    for before, after in pairwise(pages):
        before.next_page, after.previous_page = after, before
    found = Navigation(items, pages)
    found.homepage = own(english.homepage, tongue, files) if english.homepage else None
    return found


def own(page: Page, tongue: Tongue, files: Files) -> Page | None:
    """Return a language's own page; None where it has none."""
    found = files.get_file_from_path(tongue.home(page.file.src_uri))
    return found.page if found else None


def _in_tongue(
    item: StructureItem, tongue: Tongue, files: Files, pages: list[Page]
) -> StructureItem:
    if isinstance(item, Section):
        inner = [_in_tongue(child, tongue, files, pages) for child in item.children]
        heading = {str(topic): topic for topic in TOPICS.values()}.get(item.title, item.title)
        section = Section(say(tongue.language, heading), inner)
        for child in inner:
            child.parent = section
        return section
    assert isinstance(item, Page)
    title = say(tongue.language, str(item.title))
    found = own(item, tongue, files)
    if found is None:
        return Link(title, item.url)
    if "title" in vars(item) and title != item.title:
        found.title = title
    pages.append(found)
    return found
