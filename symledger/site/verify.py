"""Is a built site what it should be? Every page, anchor, block, word and file is looked for."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from symledger.errors import BadInput, shown
from symledger.site.generator import Site
from symledger.site.pages import unmarked

HEADING = re.compile(r"^#+ .*\{: #([\w-]+)(?: [\w-]+)? \}$", re.MULTILINE)

WORD = re.compile(r"[^\W_]+")
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
UNSEEN = re.compile(
    r"<[^>]*>|\]\([^)]*\)|\{:[^}]*\}|^```.*$|^\s*(?:\?\?\?\+?|!!!)[\w -]*|^\s*\d+\. ", re.MULTILINE
)
"""Tags, what a link leads to, attributes, languages of code, kinds of boxes, numbers of items."""


def problems(folder: Path, site: Site | None = None) -> list[str]:
    """Return what is missing in a built site or differs from ``site``, the one that is expected.

    What is expected is made anew, unless it is given.

    Raises:
        BadInput: there is no such folder.
    """
    if not folder.is_dir():
        raise BadInput(
            f"{shown(str(folder))} is not a folder: name one that `symledger site build` made."
        )
    return list(_problems(folder, site or Site()))


def _problems(folder: Path, site: Site) -> Iterator[str]:
    for page in (*site.pages.values(), *site.by_hand):
        file = folder / page.address
        if not file.is_file():
            yield f"missing page: {page.address}"
            continue
        built = file.read_text(encoding="utf-8")
        for anchor in HEADING.findall(page.source):
            if f'id="{anchor}"' not in built:
                yield f"missing anchor: {page.address}#{anchor}"
        for i, block in enumerate(page.blocks):
            if block not in built and unmarked(block) not in built:
                yield f"different content: {page.address}, block {i}"
        article = built.partition("<article")[2].partition("</article>")[0]
        lacking = _words(FRONT_MATTER.sub("", page.source)) - _words(article)
        if lacking:
            yield f"different content: {page.address} lacks {', '.join(sorted(lacking)[:5])}"
    for path, content in site.assets.items():
        if not (folder / path).is_file():
            yield f"missing file: {path}"
        elif (folder / path).read_bytes() != content:
            yield f"different file: {path}"


def _words(text: str) -> Counter[str]:
    """The words and numbers that are read in a page, and how often each of them is."""
    return Counter(WORD.findall(html.unescape(UNSEEN.sub(" ", text))))
