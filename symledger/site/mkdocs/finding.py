"""What a page is found by beside its text: the numbers and formulas of its blocks, and its names.

Blocks are put in after the search has seen a page. Its numbers and formulas are given to the
search in a field of their own, ``found``, which is never shown, and so is the page's own name of
several words in one: ``minigpt``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from symledger.errors import bare
from symledger.site.mkdocs.formulas import words
from symledger.site.pages import Page

NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:[,\u2009\u202f\u00a0]\d{3})+|\d{5,})(?![.,]?\w)")
"""A whole number of which no part means anything: from four digits on if they are grouped."""
APART = re.compile(r"\w\W+\w")
"""What stands between words of a name."""
TEX = re.compile(r"<annotation[^>]*>([^<]*)</annotation>")
STATED = re.compile('<div class="statement"|<table class="ledger working"')
"""The blocks with the formula that a page is about: the others there are what it is made of."""
PUBLISHED = re.compile(r"(?:^|/)models/[^/]+/")
"""Where the page of a published configuration lies, in any language."""
ASIDE = re.compile(
    r'<(figure|math|form)\b.*?</\1>|<details class="fold".*?</details>|<[^>]*>', re.DOTALL
)
"""What of a block is not looked through for numbers: data of plots, formulas, points of checks."""


def find_by(entries: Iterable[dict[str, Any]], page: Page) -> None:
    """Add to the first entry of a page in the search what stands in its blocks."""
    for entry in entries:
        if entry["location"] == page.address:
            name = in_one_word(entry.get("tags") or (), PurePosixPath(page.path).stem)
            found = [*numbers(entry["text"], page.blocks), *formulas(page), *name]
            if found:
                entry["found"] = " ".join(found)
            return


def numbers(text: str, blocks: Iterable[str]) -> list[str]:
    """Return the numbers of a page that its text does not spell so, in groups of three digits."""
    here = {grouped(n) for part in (text, *(ASIDE.sub(" ", b) for b in blocks))
            for n in NUMBER.findall(part)}  # fmt: skip
    return sorted(here - set(NUMBER.findall(text)))


def in_one_word(names: Iterable[str], own: str) -> list[str]:
    """Return a page's own name as it is typed in one word, where the search takes it apart.

    Others would begin as words do that other pages are about: ``linearattention``.

    >>> in_one_word(["mini-GPT", "GPT-2", "decoder"], "mini_gpt")
    ['minigpt']
    """
    return sorted({bare(own) for name in names if APART.search(name) and bare(name) == bare(own)})


def grouped(number: str) -> str:
    """Write a number in groups of three digits, whatever stood between them.

    >>> grouped("2362368"), grouped("2 362 368")
    ('2,362,368', '2,362,368')
    """
    return f"{int(re.sub('[^0-9]', '', number)):,}"


def formulas(page: Page) -> list[str]:
    """Return the words of the formulas of a page.

    A published configuration has those of its family, on whose page they are found.
    """
    if PUBLISHED.search(page.path):
        return []
    stated = [block for block in page.blocks if STATED.search(block)] or page.blocks
    return sorted({word for block in stated for tex in TEX.findall(block) for word in words(tex)})
