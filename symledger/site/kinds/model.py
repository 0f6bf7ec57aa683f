"""Model pages: one for every family and every configuration, and their index."""

from __future__ import annotations

from collections.abc import Iterator

from symledger.catalogue import Entry
from symledger.report.rows import rows
from symledger.site.atlas import Atlas
from symledger.site.pages import Page
from symledger.site.templating import Templates

DEPTH = 3
"""Levels of the tree that a table shows."""


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the index, then the models."""
    yield templates.page("models/index.md", "models.md.j2", atlas=atlas)
    for entry in atlas.models:
        yield page(atlas, templates, entry)


def page(atlas: Atlas, templates: Templates, entry: Entry) -> Page:
    """Return the page of one model."""
    account = atlas.account(entry.name)
    return templates.page(
        atlas.page_of(entry.name), "model.md.j2", atlas=atlas, entry=entry, account=account,
        rows=list(rows(account, account.params, DEPTH)),
    )  # fmt: skip


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside them: none."""
    del atlas
    return {}
