"""Component pages: one for every component of the catalogue, and their index."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from symledger.catalogue import Entry
from symledger.report.rows import rows
from symledger.site.atlas import Atlas
from symledger.site.pages import Page
from symledger.site.templating import Templates

DEPTH = 3
"""Levels of the tree that a table shows."""


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the index, then the components by topic."""
    yield templates.page("components/index.md", "components.md.j2", atlas=atlas)
    for entries in atlas.components.values():
        for entry in entries:
            yield page(atlas, templates, entry)


def page(atlas: Atlas, templates: Templates, entry: Entry) -> Page:
    """Return the page of one component."""
    account = atlas.account(entry.name)
    forward, backward = account.equations()
    return templates.page(
        atlas.page_of(entry.name), "component.md.j2", atlas=atlas, entry=entry, account=account,
        forward=forward, backward=backward, source=source(entry),
        rows=list(rows(account, account.params, DEPTH)),
    )  # fmt: skip


def source(entry: Entry) -> str:
    """Return the source of a definition's ``forward``, word for word."""
    return inspect.cleandoc(inspect.getsource(entry.load().forward))


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside them: none."""
    del atlas
    return {}
