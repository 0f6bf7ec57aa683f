"""The search, asked for numbers and formulas of the catalogue as people type them."""

import json
import re
import unicodedata
from random import Random

import pytest

from symledger import algebra, derive
from symledger.algebra import SUPERSCRIPTS
from symledger.site import resources
from symledger.site.mkdocs.formulas import words
from symledger.tags.registry import by_tag
from tests.every import CATALOGUE, INTEGRATING
from tests.site.whole import OTHER

NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![.,]?\w)")
SPACES = {"thin": "\u2009", "narrow": "\u202f", "no break": "\u00a0"}
ASKED = 12
"""Numbers, and formulas, that are asked for each way a site is opened."""
SAID = """
query => {
    let said;
    window.Worker = class {
        addEventListener() {}
        postMessage(message) { said = message.data; }
    };
    eval(window.searching);
    new Worker().postMessage({type: 2, data: query});
    return said;
}
"""
"""What the script makes of a query, on a page without anything else."""
FOUND = """
([query, titles]) => {
    let listen;
    window.Worker = class {
        addEventListener(kind, listener) { listen = listener; }
        postMessage() {}
    };
    eval(window.searching);
    new Worker().postMessage({type: 2, data: query});
    const items = titles.map(title => [{title, terms: {}}]);
    listen({data: {type: 3, data: {items}}});
    return items.map(([{title}]) => title);
}
"""
"""In which order the script leaves pages of these titles that are found for a query."""


@pytest.fixture(scope="module")
def entries(built):
    """Return what the search knows of each page: its texts and what it is found by besides."""
    found = {}
    for entry in json.loads((built / "search" / "search_index.json").read_text("utf-8"))["docs"]:
        said = found.setdefault(entry["location"].partition("#")[0], set())
        said.update(NUMBER.findall(f"{entry['title']} {entry['text']}"))
        said.update(entry.get("found", "").split())
    return found


@pytest.fixture(params=["file", "server"])
def home(request, page, built, served):
    address = f"{served}/index.html"
    page.goto(address if request.param == "server" else (built / "index.html").as_uri())
    return page


@pytest.fixture
def script(page):
    text = (resources.assets() / "searching.js").read_text(encoding="utf-8")
    page.evaluate("text => { window.searching = text; }", text)
    return lambda query: page.evaluate(SAID, query).split()


def some(cases, seed):
    """Choose at random, from the same seed every time."""
    return Random(seed[:4]).sample(cases, ASKED)  # noqa: S311  # a sample, no secret


def ask(page, query):
    """Type a query; return how many pages are found, and the addresses of the first ones."""
    if not page.locator("[data-md-component=search-query]").is_visible():
        page.keyboard.press("f")
    box = page.locator("[data-md-component=search-query]")
    box.fill("")
    box.press("End")
    page.locator(".md-search-result__item").first.wait_for(state="detached")
    box.fill(query)
    box.press("End")
    page.locator(".md-search-result__item").first.wait_for()
    page.wait_for_timeout(200)
    told = page.locator(".md-search-result__meta").inner_text().split()[0]
    links = page.locator(".md-search-result__item > a:first-child").evaluate_all(
        "all => all.map(a => a.href.replace(/[?#].*/, ''))"
    )
    return 1 if told == "1" else told, links


def told(found):
    """Return how many pages were found as Material says it: thousands shortly."""
    if found < 1000:
        return 1 if found == 1 else str(found)
    digits = int((found - 950) % 1000 > 99)
    return f"{found / 1000:.{digits}f}k"


def ways(n):
    """Return a number as people type it."""
    return [f"{n:,}", str(n), *(f"{n:,}".replace(",", space) for space in SPACES.values())]


def test_numbers_are_found_whole_however_they_are_typed(home, entries):
    known = sorted({word for said in entries.values() for word in said if NUMBER.fullmatch(word)
                    and len(word) > 5})  # fmt: skip
    for number in some(known, home.url):
        there = {address for address, said in entries.items() if number in said}
        first = ask(home, number)
        assert first[0] == told(len(there)), number
        assert len(first[1]) >= min(len(there), 5)
        assert all(link.partition("/")[2].endswith(tuple(there)) for link in first[1]), number
        for query in ways(int(number.replace(",", "")))[1:]:
            assert ask(home, query) == first, query


def test_formulas_are_found_however_they_are_typed(home, entries):
    tags = [t for t in by_tag().values() if not t.removed and t.page in entries]
    for tagged in some(tags, home.url):
        formula = derive(tagged.owner)[tagged.quantity]
        meant = formula.corollary_terms
        *terms, whole = words(algebra.latex(meant)) or [""]
        if not terms or len(terms) > 10 or formula.divisor:
            continue
        there = {address for address, said in entries.items() if said.issuperset(terms)}
        very = {address for address in there if whole in entries[address]}
        assert tagged.page in very, tagged.id
        for query in (algebra.text(meant), algebra.canonical(meant), algebra.latex(meant)):
            if set(query) & set("^*·²³"):  # else it may be a word: 2Vd
                number, links = ask(home, query)
                assert number == told(len(there)), query
                assert all(link.endswith(tuple(very)) for link in links[: len(very)]), query


def test_nothing_is_told_to_be_missing_that_nobody_typed(home):
    for query in ("12Ld", "4096", "12 L d^2 + V d"):
        ask(home, query)
        assert not home.locator(".md-search-result__terms").count()


@pytest.mark.parametrize("query", ["mini-GPT", "mini gpt", "minigpt", "mini-GPT parameters"])
def test_a_name_is_found_however_its_words_are_put_together(page, built, query):
    page.goto((built / "index.html").as_uri())
    assert ask(page, query)[1][0].endswith("models/mini_gpt.html")


@pytest.fixture
def abroad(page, built):
    page.goto((built / OTHER / "index.html").as_uri())
    return page


def test_pages_of_another_language_are_found_by_their_numbers_and_formulas(abroad):
    for queries in (ways(2362368), ["12Ld^2", "12*L*d**2", "12 L d^{2}"]):
        first = ask(abroad, queries[0])
        assert first[0] != "0"
        assert all(f"/{OTHER}/" in link for link in first[1])
        assert [query for query in queries[1:] if ask(abroad, query) != first] == []
    assert any(link.endswith("models/mini_gpt.html") for link in first[1])


@pytest.mark.skipif(not INTEGRATING, reason="what comes first depends on all pages: CI=true")
def test_words_are_found_with_their_accents_and_without(abroad):
    for query in ("atención", "ATENCIÓN", "atencion"):
        assert ask(abroad, query)[1][0].endswith(f"/{OTHER}/components/attention.html"), query


@pytest.mark.parametrize("query", ["normalizacion de capa", "Red prealimentada", "mini-gpt"])
def test_what_is_called_so_comes_first(script, page, query):
    titles = ["Otra cosa", "<mark>Normalización</mark> de capa", "mini_gpt", "Red prealimentada"]
    found = page.evaluate(FOUND, [query, titles])
    assert bare(found[0]) == bare(query)
    assert sorted(found) == sorted(titles)


def bare(text):
    plain = unicodedata.normalize("NFD", re.sub("<[^>]*>", "", text))
    return "".join(c for c in plain.lower() if c.isalnum())


TYPED = ["12Ld^2", "12*L*d**2", "12Ld²", "12 L d^{2}", r"12L \cdot d^2", "12·L·d²",
         "12 × L × d^2", "12 d² L", "3L(2d)^2", "24Ld²/2", r"\frac{24 L d^2}{2}", "12LD^2",
         "6 L d^2 + 6 L d^2"]  # fmt: skip


@pytest.mark.parametrize("query", TYPED)
def test_one_formula_is_the_same_words_however_it_is_typed(script, query):
    assert script(query) == ["+12.d.d.l", f"{words('12 L d^{2}')[-1]}^1000"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("2,362,368 parameters", "+2,362,368 parameters"),
        ("how much is 2 362 368?", "how much is +2,362,368 ?"),
        ("2.362.368", "+2,362,368"),
        ("4096", "4096^1 4,096^1"),
        ("Linear(768, 3072)", "Linear(768, 3072^1 3,072^1 )"),
        ("768 768", "768 768"),
        ("0.000123", "0.000123"),
        ("gpt-2 xl", "gpt-2 xl"),
        ("resnet-50", "resnet-50"),
        ("conv2d", "conv2d"),
        ("d_ff", "d_ff"),
        ("llama 7b", "llama 7b"),
        ("SL-4F7K", "SL-4F7K"),
        ("+kv -cache", "+kv -cache"),
        ("params = 12Ld^2", "params +12.d.d.l #b0785be8^1000"),
    ],
)
def test_what_is_no_formula_stays_as_it_is_typed(script, query, said):
    assert script(query) == said.split()


def test_the_script_reads_formulas_as_the_index_was_written(script):
    for owner in some(CATALOGUE, "script"):
        meant = derive(owner)["flops.forward"].general
        *terms, whole = words(algebra.latex(meant)) or ("", "")
        if not any(terms):
            continue
        for written in (algebra.text(meant), algebra.canonical(meant), algebra.latex(meant)):
            said = {re.sub(r"^\+|\^\d+$", "", word) for word in script(written)}
            assert {*terms, whole} <= said, written


def test_powers_are_read_in_digits_above(script):
    for power in range(2, 9):
        raised = str(power).translate(SUPERSCRIPTS)
        assert script(f"3d{raised}") == script(f"3*d**{power}")
