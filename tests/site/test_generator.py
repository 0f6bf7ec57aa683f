"""The generator: pure, complete, and the same twice."""

from symledger.catalogue.entries import ENTRIES
from symledger.site.generator import MANIFEST
from symledger.site.pages import Page, unmarked


def test_another_process_gives_the_same_bytes(built, site):
    """The manifest has the hash of every generated page and file."""
    assert (built / MANIFEST).read_bytes() == site.assets[MANIFEST]


def test_every_entry_has_a_page_and_every_formula_too(site):
    assert {site.atlas.page_of(entry.name) for entry in ENTRIES} <= set(site.pages)
    for entry, quantity in site.atlas.formulas():
        formula = site.atlas.account(entry.name)[quantity]
        assert site.atlas.formula_page(formula.id) in site.pages


def test_files_are_sorted_and_every_place_has_its_block(site):
    paths = [path for path, _ in site.files()]
    assert paths == sorted(paths)
    assert not [page.path for page in site.pages.values() if "data-block" in page.merged]


def test_a_topic_is_found_for_every_component(site):
    assert "Other" not in site.atlas.components


def test_inline_html_is_hidden_from_markdown():
    page = Page("x.md", 'a <span data-block="0"></span> b', ('<mi data-sym="d_ff">a_b*c</mi>',))
    formula = '<mi data-sym="d_ff">a&#95;b&#42;c</mi>'
    assert page.merged == f"a <bdi data-search-exclude>{formula}</bdi> b"
    assert unmarked("1 < 2") == "1 < 2"
