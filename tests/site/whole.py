"""The whole site, generated once for all tests of it, and a page of each of its kinds."""

from pathlib import Path
from tempfile import TemporaryDirectory

from symledger.site.generator import Site
from symledger.site.memory import Memory

FOLDER = TemporaryDirectory(prefix="symledger-memory-")
REMEMBERED = Path(FOLDER.name) / "site.json"
"""Where the site leaves what it was made of, once it is saved."""
SITE = Site(memory=Memory(REMEMBERED))
ATLAS = SITE.atlas
ALONE = ("api", "axioms", "completeness", "dialects", "index", "notation", "reliability",
         "rules")  # fmt: skip
FOLDERS = ("components", "f", "learn", "models", "models/llama", "questions")
WRITTEN = "conventions"
KINDS = (*ALONE, *FOLDERS, WRITTEN)
"""Pages that lie in no folder, folders of pages, and a page that is written by hand."""


def page_of(kind):
    """Return the path of a page: of a folder the one of middle length."""
    if kind not in FOLDERS:
        return f"{kind}.md"
    found = [p for p in SITE.pages.values() if Path(p.path).parent.as_posix() == kind]
    return sorted((len(page.merged), page.path) for page in found)[len(found) // 2][1]
