"""Formula pages: one for every formula, at an address that never changes."""

from __future__ import annotations

from collections.abc import Iterator

from symledger.site.atlas import Atlas
from symledger.site.pages import Page
from symledger.site.templating import Templates


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield a page for every formula."""
    for entry, quantity in atlas.formulas():
        account = atlas.account(entry.name)
        formula = account[quantity]
        yield templates.page(
            atlas.formula_page(formula.id), "formula.md.j2", atlas=atlas, entry=entry,
            account=account, formula=formula,
        )  # fmt: skip


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside them."""
    del atlas
    return {}
