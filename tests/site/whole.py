"""The whole site, generated once for all tests, and a page of each of its kinds."""

from collections import defaultdict
from functools import cache
from pathlib import Path

from symledger.site.generator import Site

WRITTEN = "conventions.md"


@cache
def site() -> Site:
    return Site()


def kinds():
    """Return a page of each folder, every page that lies in none, and a written one."""
    folders = defaultdict(list)
    for path, page in site().pages.items():
        folders[str(Path(path).parent)].append((len(page.merged), path))
    alone = [path for _, path in folders.pop(".")]
    return sorted([*alone, WRITTEN, *(middle(pages) for pages in folders.values())])


def middle(pages):
    """Return the page of middle length."""
    return sorted(pages)[len(pages) // 2][1]
