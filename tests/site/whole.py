"""The whole site, generated once for all tests of it, and a page of each of its kinds."""

import gc
import re
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from symledger.catalogue.entries import ENTRIES
from symledger.site.atlas import Atlas
from symledger.site.generator import Site
from symledger.site.memory import Memory
from symledger.tags.registry import registered
from tests.conftest import EVERYTHING, OF, TURN
from tests.every import INTEGRATING, share
from tests.site import some
from tests.site.some import Blank, Some


class Once(Site):
    """A site whose pages are made once: where they cannot be, the same error comes every time."""

    @cached_property
    def tried(self):
        try:
            return Site.pages.func(self), None
        except Exception as error:
            return {}, error
        finally:
            gc.freeze()  # what is kept to the end need not be looked at for rubbish

    @property
    def pages(self):
        found, error = self.tried
        if error:
            raise error
        return found


FOLDER = TemporaryDirectory(prefix="symledger-memory-")
REMEMBERED = Path(FOLDER.name) / "site.json"
"""Where the site leaves what it was made of, once it is saved."""
if INTEGRATING:
    some.part = (1, 0) if EVERYTHING else (OF, TURN)
SITE = Once(memory=(Memory if EVERYTHING else Some)(REMEMBERED))
ATLAS = SITE.atlas
ALONE = ("api", "axioms", "completeness", "dialects", "index", "notation", "operations",
         "reliability", "rules")  # fmt: skip
FOLDERS = ("components", "f", "learn", "models", "models/llama", "questions")
WRITTEN = "conventions"
OTHER = "es"
"""A language beside English, whose pages lie in a folder of that name."""
SPOKEN = (OTHER, f"{OTHER}/components")
KINDS = (*ALONE, *FOLDERS, *SPOKEN, WRITTEN)
"""Pages that lie in no folder, folders of pages, those of another language among them, and a page
that is written by hand."""


def page_of(kind):
    """Return the path of a page: of a folder the one of middle length."""
    if kind not in (*FOLDERS, *SPOKEN):
        return f"{kind}.md"
    found = sorted((length(p), p.path) for p in made() if folder(p.path) == kind)
    return found[len(found) // 2][1]


def made():
    return [page for page in SITE.pages.values() if not isinstance(page, Blank)]


def folder(path):
    return Path(path).parent.as_posix()


def length(page):
    return len(page.source) + sum(map(len, page.blocks))


def longest_leading_forms():
    """Return the eight longest pages with a leading form."""
    leading = [p for p in made() if any("Leading form" in text for text in (p.source, *p.blocks))]
    return [page.path for page in sorted(leading, key=length)[-8:]]


OF_ENTRIES = {Atlas.page_of(entry.name) for entry in ENTRIES}
"""The pages of components and models."""
QUESTIONS = "questions/(gpt-2-param|llama-7b|llama-2-70b)"
ASKED = re.compile(
    rf"{QUESTIONS}|({OTHER}/)?(components/(linear|attention|conv2d|layer_norm|feed_forward)|"
    r"models/(mini_gpt|gpt2|llama|bert))\.md|" + "|".join(
        registered()[name].page.removesuffix(".html") for name in ("linear.params", "gpt2.params")
))  # fmt: skip
"""Pages that tests ask for by name, where they are many of a kind."""


@cache
def rendered():
    """Return the paths of the pages that are rendered: in integration all that are made.

    Elsewhere, of those that are hundreds of a kind (of components, models, formulas, questions and
    published configurations), every sixteenth that is made and what tests ask for; with a published
    configuration the family that it links to.
    """
    if INTEGRATING:
        return {page.path for page in made()}
    paths = [page.path for page in made()]
    deep = {path for path in paths if path.count("/") > 1}
    many = [p for p in paths if p in OF_ENTRIES or folder(p) in ("f", "questions") or p in deep]
    asked = {*map(page_of, KINDS), *longest_leading_forms(), *filter(ASKED.match, paths)}
    found = set(paths) - set(many) | set(share(many, 16)) | asked & set(paths)
    return found | {f"{folder(path)}.md" for path in found & deep} & set(paths)


def some_of(files, every):
    """Return the paths of files; of those of formulas and plots, thousands, one of so many."""
    many = sorted(path for path in files if path.startswith(("f/", "data/")))
    return [*(set(files) - set(many)), *many[::every]]


def part(paths, files):
    """Return a site of some of the pages and files."""
    found = Site()
    pages = {path: page for path, page in SITE.pages.items() if path in paths}
    files = {path: SITE.assets[path] for path in files}
    vars(found).update(pages=pages, assets=files, by_hand=())
    return found
