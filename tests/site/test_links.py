"""Every link and anchor of the whole site, and how large its pages are."""

import gzip
import re
from functools import lru_cache
from html import unescape
from pathlib import PurePosixPath
from posixpath import join, normpath
from urllib.parse import unquote, urlsplit

import pytest
from sympy import Add

from symledger.algebra import terms
from symledger.site.html import maths
from symledger.site.html.boxes import boxed
from symledger.site.mkdocs.policy import policy
from symledger.sizes import d
from tests.site.whole import rendered

WITHIN = re.compile(r"<script|<style|\s(?:style|on\w+)=")
RAW, ZIPPED = 280_000, 30_000
POINTERS = {"a": "href", "link": "href", "script": "src", "img": "src"}


TAG = re.compile(
    r"<(h[1-6]|[a-z][a-z0-9]*+(?!>))\b([^<>\"']*+(?:(?:\"[^\"]*+\"|'[^']*+')[^<>\"']*+)*+)>"
)
"""A heading, or another tag with attributes."""
GIVEN = re.compile(r"([^\s=\"'/]+)(?:=(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
HEADINGS, ASKED = {"h1", "h2", "h3", "h4", "h5", "h6"}, ("id=", "href=", "src=")


class Reader:
    """What a page points to, what can be pointed to in it, and its headings."""

    def __init__(self, text):
        self.pointers, self.ids, self.levels = [], [], []
        for tag, attributes in TAG.findall(text):
            if tag in HEADINGS:
                self.levels.append(int(tag[1]))
            if not any(name in attributes for name in ASKED):
                continue
            given = {name: unescape("".join(values)) for name, *values in GIVEN.findall(attributes)}
            if "id" in given:
                self.ids.append(given["id"])
            if given.get(POINTERS.get(tag)):
                self.pointers.append(given[POINTERS[tag]])
        self.places = set(self.ids)


@pytest.fixture(scope="module")
def texts(built):
    return {
        file.relative_to(built).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(built.rglob("*.html"))
    }


@pytest.fixture(scope="module")
def pages(texts):
    return {path: Reader(text) for path, text in texts.items()}


def test_every_link_leads_to_a_file_and_every_anchor_to_a_place(pages, built, site):
    files = {file.relative_to(built).as_posix() for file in built.rglob("*") if file.is_file()}
    files |= {site.pages[path].address for path in site.pages.keys() - rendered()}
    lost = [
        (path, pointer)
        for path, page in pages.items() if path != "404.html"
        for pointer in page.pointers if not found(path, pointer, pages, files)
    ]  # fmt: skip
    assert lost == []


def found(path, pointer, pages, files):
    led = target(str(PurePosixPath(path).parent), pointer)
    if led is None:
        return True
    there, anchor = led[0] or path, led[1]
    if there not in files:
        return False
    return not anchor or there not in pages or anchor in pages[there].places


@lru_cache(maxsize=100_000)  # the pages of a folder have a navigation in common
def target(folder, pointer):
    """Where a pointer leads from a folder (nowhere for the same page), and to which place there."""
    parts = urlsplit(pointer)
    if parts.scheme in ("http", "https", "mailto", "data"):
        return None
    there = normpath(join(folder, unquote(parts.path))) if parts.path else ""
    if parts.path.endswith("/") or there == ".":
        there = normpath(join(there, "index.html"))
    return there, unquote(parts.fragment)


def test_the_reader_reads_what_a_browser_would():
    hidden = "<a title=\"<a id='no' href='no'>\" href='q?a&amp;b#c' disabled>b</a>"
    page = Reader(f"<h2 id=a-b class='x > y'>a</h2>{hidden}")
    assert (page.ids, page.pointers, page.levels) == (["a-b"], ["q?a&b#c"], [2])


def test_every_place_has_a_name_of_its_own(pages):
    twice = {p: {i for i in page.ids if page.ids.count(i) > 1} for p, page in pages.items()}
    assert not {path: ids for path, ids in twice.items() if ids}


def test_headings_are_in_order(pages):
    for path, page in pages.items():
        steps = zip(page.levels, page.levels[1:], strict=False)
        assert page.levels[:1] == [1], path
        assert all(after <= before + 1 for before, after in steps), path


def test_a_component_page_is_small(texts):
    for path, text in texts.items():
        if path.startswith("components/"):
            article = article_of(text).encode()
            assert article
            assert len(article) <= RAW, path
            assert len(gzip.compress(article, mtime=0)) <= ZIPPED, path


def test_no_page_has_scripts_or_styles_of_ours_within(texts):
    for path, text in texts.items():
        assert 'http-equiv="Content-Security-Policy"' in text, path
        assert not WITHIN.search(article_of(text)), path


def article_of(html):
    """The article of a page, its tags included; nothing where it has none."""
    _, begin, rest = html.partition("<article")
    inner, end, _ = rest.partition("</article>")
    return begin + inner + end if end else ""


def test_a_policy_lists_what_stands_within_by_its_hash():
    made = policy("<script>alert(1)</script><script src=x></script>")
    assert made.endswith("script-src 'self' 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='")


def test_tables_get_a_box_and_heads_that_say_what_they_head():
    made = boxed(
        "<table class='ledger'><thead><tr><th>a</th></tr></thead><tr><th>b</th></tr></table>", "T"
    )
    assert made.startswith('<div class="scroll" tabindex="0" role="group" aria-label="T"><table')
    assert '<th scope="col">a</th>' in made
    assert '<th scope="row">b</th>' in made
    below = '<td class="number">1<span class="given">{}</span></td>'
    for length, width, cell in (
        (20, "", "<td>{}</td>"), (9, "narrow", "<td>{} <i>each</i></td>"), (9, "", below),
    ):  # fmt: skip
        powers = cell.format(maths.inline(terms(Add(*(d**n for n in range(length))))))
        assert "<mtable" not in powers
        assert "<mtable" in boxed(f'<table class="{width}"><tr>{powers}</tr></table>', "T")
    mark = '<math><semantics><mi data-sym="d">d</mi></semantics></math>'
    row = "<tr><td>{}</td><td{}>x</td></tr>"
    assert '<tr data-sym="d">' in boxed(f"<table>{row.format(mark, '')}</table>", "T")
    compared = row.format(mark, ' class="number"')
    assert compared in boxed(f"<table>{compared}</table>", "T")
