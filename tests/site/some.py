"""A part of the site: of the pages that are many of a kind, most are neither made nor rendered.

All have their addresses. Run as a script this is the command, with pages to render in a file.
"""

import json
from pathlib import Path
from zlib import crc32

from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import ENTRIES
from symledger.site import generator
from symledger.site.atlas import Atlas
from symledger.site.memory import Memory
from symledger.site.mkdocs.workers import Hands, hide
from symledger.site.pages import Page
from symledger.tags.registry import by_tag

FORMULAS, PUBLISHED = "formulas of ", "published "
NAMED = {"linear", "mini_gpt", "mini_gpt-small", "gru", "attention", "gpt2", "llama", "vgg", "bert",
         "mixtral"}  # fmt: skip
"""Owners and families whose pages tests ask for by name."""
ASKED = {"conv2d", "feed_forward", "layer_norm"}
"""Components of which they ask for the page, and not for those of formulas."""
NAMES = {entry.name for entry in ENTRIES}
RENDERED = Path("rendered.json")
"""The part that is made, and the pages to render."""
TENTH = (10, 0)
"""Of ten parts, into which a checksum of their names puts entries, the first."""
part = TENTH
"""The part of which pages that are many of a kind are made."""


class Blank(Page):
    """A page that is not made: it has its address."""


def left_out(piece, of=None):
    """Whether pages are not made: those of entries, or owners of formulas, of other parts."""
    parts, made = of or part
    name = piece.removeprefix(FORMULAS).removeprefix(PUBLISHED)
    if name == piece:
        name = entry_of(piece)
        if name in ASKED:
            return False
    return name not in ("", *NAMED) and crc32(name.encode()) % parts != made


def entry_of(piece):
    """Return the component or model that a page is about, in whatever language; else nothing."""
    name = piece.rpartition(" ")[2]
    return name if name in NAMES else ""


def forget(file):
    """Leave in a memory what is about entries and their formulas, but for those of one in ten."""
    found = json.loads(file.read_text(encoding="utf-8"))
    pieces = {
        n: made for n, made in found["pieces"].items() if left_out(n.partition(" ")[2], TENTH)
    }
    assert 0 < len(pieces) < len(found["pieces"])
    file.write_text(json.dumps({**found, "pieces": pieces}), encoding="utf-8")


class Some(Memory):
    """What was made, without what is left out."""

    def pages(self, name, make):
        return list(blanks(name)) if left_out(name) else super().pages(name, make)

    def files(self, name, make):
        return {} if left_out(name) else super().files(name, make)


def blanks(piece):
    """Yield pages without anything on them."""
    if piece.startswith(FORMULAS):
        owner = piece.removeprefix(FORMULAS)
        found = [(t.page.replace(".html", ".md"), t) for t in by_tag().values() if not t.removed]
        yield from (Blank(path, f"# {t.id}\n") for path, t in found if t.owner == owner)
    elif piece.startswith(PUBLISHED):
        found = ((Atlas.page_of(name), name) for name in checkpoints())
        folder = f"models/{piece.removeprefix(PUBLISHED)}/"
        yield from (Blank(path, f"# {name}\n") for path, name in found if path.startswith(folder))
    else:
        name = entry_of(piece)
        tongue = piece.removesuffix(name).replace(" ", "/")
        yield Blank(f"{tongue}{Atlas.page_of(name)}", f"# {name}\n")


def main():
    """Run the command: it knows of all pages, and renders some as one process of several does."""
    from symledger.__main__ import main as command

    global part  # what ``left_out`` reads in the tests' own process too
    part, paths = json.loads(RENDERED.read_text())
    rendered, everyone = set(paths), Hands.of

    def some(config, files):
        hands = everyone(config, files)
        left = set(config.plugins["symledger"].site.pages) - rendered
        hide(file for file in files if file.src_uri in left)
        hands.pages = {url: f for url, f in hands.pages.items() if f.src_uri not in left}
        return hands

    generator.Memory, Hands.of = Some, some
    command()


if __name__ == "__main__":
    main()
