"""The home page: what this is, and three doors."""

from __future__ import annotations

from collections.abc import Iterator

from symledger.site.atlas import Atlas
from symledger.site.pages import Page
from symledger.site.templating import Templates


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the home page."""
    yield templates.page("index.md", "home.md.j2", account=atlas.account("mini_gpt"))


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}
