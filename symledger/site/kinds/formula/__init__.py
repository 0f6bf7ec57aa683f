"""Formula pages: one for every formula, at an address that never changes, with its files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from symledger.catalogue.entry import Entry
from symledger.citing.citation import Citation
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds.formula.view import View, path_of
from symledger.site.links import Links
from symledger.site.pages import Page
from symledger.tags.registry import by_tag, registered

INDEX = "f/index.md"


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield a page for every formula, one for every tag that is no longer used, and the index."""
    links_of(atlas)
    yield atlas.memory.page(INDEX, lambda: index(atlas, templates))
    for entry in atlas.owners:
        yield from atlas.memory.pages(
            f"formulas of {entry.name}", partial(pages_of, atlas, templates, entry)
        )
    for tagged in by_tag().values():
        if tagged.removed:
            now = registered().get(tagged.removed.now)
            yield templates.page(path_of(tagged), "removed.md.j2", tagged=tagged,
                                 now=path_of(now) if now else "", successor=now)  # fmt: skip


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside every formula page: JSON, LaTeX, BibTeX, Python."""
    found: dict[str, bytes] = {}
    for entry in atlas.owners:
        found |= atlas.memory.files(f"formulas of {entry.name}", partial(files_of, atlas, entry))
    return found


def index(atlas: Atlas, templates: Templates) -> Page:
    """Return the index of all formulas."""
    atlas.memory.note_all()
    found = [view for entry in atlas.owners for view in views(atlas, entry)]
    return templates.page(INDEX, "formulas.md.j2", atlas=atlas, views=found)


def pages_of(atlas: Atlas, templates: Templates, entry: Entry) -> list[Page]:
    """Return the pages of an owner's formulas."""
    links_of(atlas).note(entry.name)
    return [
        templates.page(view.path, "formula.md.j2", atlas=atlas, view=view)
        for view in views(atlas, entry)
    ]  # fmt: skip


def files_of(atlas: Atlas, entry: Entry) -> dict[str, bytes]:
    """Return the files beside the pages of an owner's formulas."""
    return {
        f"{view.stem}.{ending}": text.encode()
        for view in views(atlas, entry) for ending, text in view.files.items()
    }  # fmt: skip


def links_of(atlas: Atlas) -> Links:
    """Return which formulas are made of which."""
    return atlas.once("links", lambda: Links(atlas))


def views(atlas: Atlas, entry: Entry) -> list[View]:
    """Return what the pages of an owner's formulas show, made once for them and their files."""
    atlas.memory.note_definition(entry.load())
    return atlas.once(f"formulas of {entry.name}", lambda: [
        View(Citation(atlas.tagged(f"{entry.name}.{name}"), account), entry, links_of(atlas))
        for account in (atlas.account(entry.name),) for name in account.quantities
    ])  # fmt: skip
