"""The page of operations that a trace understands, read off the rules: a topic a table."""

from __future__ import annotations

from collections.abc import Iterator

from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.pages import Page
from symledger.traces.reference import topics

PATH = "operations.md"


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the one page."""
    del atlas
    found = topics()
    names = {name for topic in found for rule in topic.rules for name in rule.names}
    yield templates.page(PATH, "operations.md.j2", topics=found, number=len(names))


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}
