"""What a page is found by: the numbers and formulas of its blocks, in one spelling each."""

import pytest

from symledger.site.mkdocs.finding import find_by, formulas, numbers
from symledger.site.mkdocs.formulas import words
from symledger.site.pages import Page

THIN = "\u2009", "\u202f", "\u00a0"


def math(tex):
    return f'<math><mi>1,234</mi><annotation encoding="application/x-tex">{tex}</annotation></math>'


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<td>2,362,368</td>", ["2,362,368"]),
        ("<td>2362368</td><td>2,362,368</td>", ["2,362,368"]),
        *((f"<td>2{thin}362{thin}368</td>", ["2,362,368"]) for thin in THIN),
        ("in 2019, 768 and 3072", []),
        ("0.12345, 1,234.5 and v123456", []),
        ("f(1,024, 10,000)", ["1,024", "10,000"]),
        ('<a href="x/123456.html">a</a>', []),
        ("<figure><table><td>1,234</td></table></figure>" + math("d"), []),
        ('<details class="fold"><code>B = 123456</code></details>', []),
    ],
)
def test_whole_numbers_of_four_digits_or_more_are_found(html, found):
    assert numbers("", [html]) == found


def test_what_the_text_spells_so_is_not_repeated():
    assert numbers("has 2,362,368 parameters, 9449472 bytes", ["2,362,368 9,449,472"]) == [
        "9,449,472"
    ]


def test_a_page_that_states_a_formula_is_found_by_that_one():
    made, stated = math("2 L d"), f'<div class="statement">{math("12 L d^{2}")}</div>'
    assert formulas(Page("f/A.md", "", (made, stated))) == sorted(words("12 L d^{2}"))
    assert formulas(Page("models/a.md", "", (made,))) == sorted(words("2 L d"))
    for language in ("", "es/"):
        assert formulas(Page(f"{language}models/a/b.md", "", (made,))) == []
        assert formulas(Page(f"{language}components/b.md", "", (made,))) == sorted(words("2 L d"))


def test_the_first_entry_of_a_page_is_given_them():
    entries = [{"location": place, "text": ""} for place in ("a.html", "a.html#b", "c.html")]
    find_by(entries, Page("a.md", "", ("1,234,567", math("2 L d"))))
    assert entries[0]["found"].split() == ["1,234,567", *sorted(words("2 L d"))]
    assert not any("found" in entry for entry in entries[1:])


def test_the_own_name_of_several_words_is_found_in_one():
    entry = {"location": "models/mini_gpt.html", "text": "", "tags": ["mini-GPT", "GPT", "a b"]}
    find_by([entry], Page("models/mini_gpt.md", ""))
    assert entry["found"] == "minigpt"
