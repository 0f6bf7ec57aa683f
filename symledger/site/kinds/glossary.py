"""The glossary of a language: the words of the field, and what is said for them everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from symledger.languages.glossary import glossary
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.pages import Page
from symledger.site.tongues import speaks

PATH = "glossary.md"
TEMPLATE = "glossary.md.j2"


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the page of a language that is not English."""
    del atlas
    if not templates.tongue.is_english and templates.tongue.has(PATH):
        known = [term for term in glossary() if templates.language in term.others]
        yield templates.page(PATH, TEMPLATE, terms=known)


def translated(atlas: Atlas, language: str) -> list[str]:
    """Return its path, where a language has words for it."""
    del atlas
    return [PATH] if speaks(language, TEMPLATE) else []


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}
