"""A page: Markdown with places for blocks of HTML that are put in after Markdown has run.

Formulas and tables are such blocks. Markdown never sees them, which is what keeps it from taking
them apart, keeps their letters out of the search, and makes a build fast. A folder of Markdown
for another engine has them written in place.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from markupsafe import Markup

from symledger.site.html.boxes import boxed

PLACE = re.compile(r'<(div|span) data-block="(\d+)"></\1>')
UNSEARCHED = "data-search-exclude"
"""What keeps the letters of a formula out of the search."""
SPECIAL = str.maketrans({c: f"&#{ord(c)};" for c in "\\`*_{}[]()#+-.!|~^"})
DIV = re.compile(r"(</?)div\b")
TAG = re.compile(r"(<[^>]*>)")


@dataclass(frozen=True)
class Page:
    """One generated page: where it lies (``components/linear.md``), its Markdown, its blocks."""

    path: str
    source: str
    blocks: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """The address of the built page."""
        return self.path.removesuffix(".md") + ".html"

    def filled(self, html: str) -> str:
        """Put the blocks into what was made of the source."""
        return PLACE.sub(lambda m: self.blocks[int(m[2])], html)

    @property
    def merged(self) -> str:
        """The Markdown with its blocks in place, for an engine that knows no plugin of ours."""
        return PLACE.sub(self._written, self.source)

    def _written(self, place: re.Match[str]) -> str:
        block = self.blocks[int(place[2])]
        stands_alone = place.start() == 0 or self.source[place.start() - 1] == "\n"
        written = block if stands_alone and place[1] == "div" else unmarked(block)
        # not div and span: the search takes the first end of a tag of the same name for the end
        tag = "section" if place[1] == "div" else "bdi"
        return f"<{tag} {UNSEARCHED}>{written}</{tag}>"


def unmarked(html: str) -> str:
    """Write inline HTML so that Markdown finds no mark of its own between the tags."""
    parts = TAG.split(html)
    return "".join(p if p.startswith("<") else p.translate(SPECIAL) for p in parts)


@dataclass
class Sheet:
    """What a template writes a page on: it takes the blocks and leaves their places.

    ``table`` is what a table is called to who does not see it, ``say`` says what is written in the
    language of the page.
    """

    path: str
    table: str
    say: Callable[[str], str]
    blocks: list[str] = field(default_factory=list)

    def block(self, caller: Callable[[], str]) -> Markup:
        """Take as HTML what the caller encloses."""
        return Markup("\n\n") + self._place("div", caller().strip()) + Markup("\n\n")

    def block_here(self, html: str) -> Markup:
        """Take HTML as a block within a list's item, where Markdown has opened a paragraph.

        It stands in one line, which its indentation keeps, and its boxes are spans.
        """
        spans = DIV.sub(r"\1span", str(html))
        return self._place("span", " ".join(spans.split("\n")).strip())

    def inline(self, html: str) -> Markup:
        """Take a piece of HTML within a sentence, such as a formula."""
        return self._place("span", html)

    def _place(self, tag: str, html: str) -> Markup:
        self.blocks.append(boxed(self.say(str(html)), self.table))
        place = f'<{tag} data-block="{len(self.blocks) - 1}"></{tag}>'
        return Markup(place)  # noqa: S704  # a tag and a number of ours

    def href(self, path: str) -> str:
        """Return the relative address of another page or file, for a block."""
        target, hash_, anchor = path.partition("#")
        if target.endswith(".md"):
            target = target.removesuffix(".md") + ".html"
        return self.link(target) + hash_ + anchor

    def link(self, path: str) -> str:
        """Return the relative path of another page, for a link in Markdown."""
        return relative(path, posixpath.dirname(self.path))


@cache
def relative(path: str, folder: str) -> str:
    """Return the path of a file as seen from a folder."""
    return posixpath.relpath(path, folder or ".")
