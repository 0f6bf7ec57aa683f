"""Formulas as words: a formula has the same words however it is written, and no other has."""

from collections import Counter
from fractions import Fraction

import pytest

from symledger import algebra
from symledger.site import resources
from symledger.site.mkdocs.formulas import TOKENS, Reader, checksum, words
from symledger.sizes import ALPHABET
from tests.every import CATALOGUE, account


@pytest.mark.parametrize(
    ("tex", "terms"),
    [
        (r"12 L d^{2} + V d", ("12.d.d.l", "d.v")),
        (r"L (12 d^{2} + 2 d)", ("12.d.d.l", "2.d.l")),
        (r"\frac{4 B L T d h_{\mathrm{kv}}}{h}", ("4.b.d.hkv.l.t|h",)),
        (r"\frac{B T}{2}", ("b.t|2",)),
        (r"30{,}522 d - C_1^{2}", ("30522.d", "_c1.c1")),
        (r"C_{1} C_1", ("c1.c1",)),
        (r"(2 B d) / (4 d)", ("b|2",)),
        (r"(L - 1) (d + V)", ("_d", "_v", "d.l", "l.v")),
    ],
)
def test_every_term_is_a_word(tex, terms):
    found = words(tex)
    assert found[:-1] == tuple(term for term in terms if set(term) & {".", "|"})
    assert found[-1] == checksum("+".join(sorted(terms)))


@pytest.mark.parametrize(
    "tex",
    ["", "d", "768", r"12 \cdot 2 \cdot 64^{2}", r"\max(d, V)", "d = 64", r"d^{L}", r"d^{99}",
     r"\frac{d}{V + d}", "(d", "d)", r"\frac{d}{0}", r"\begin{aligned} y &= x \end{aligned}"],
)  # fmt: skip
def test_what_is_no_polynomial_in_symbols_has_no_words(tex):
    assert words(tex) == ()


@pytest.mark.parametrize("owner", CATALOGUE)
def test_what_we_print_is_read_as_it_was_meant(owner):
    for quantity in account(owner).quantities:
        meant = account(owner)[quantity].corollary_terms
        if meant and len(meant) <= 30:
            read = Reader(TOKENS.findall(algebra.latex(meant))).all()
            assert {frozenset(m): c for m, c in read.items()} == as_typed(meant)


def as_typed(meant):
    """Terms as people type them, in whom h and H are one letter."""
    found = Counter()
    for monomial, c in meant.items():
        powers = Counter()
        for s, n in monomial:
            powers[s.name.replace("_", "").lower()] += n
        found[frozenset((name, n) for name, n in powers.items() if n)] += Fraction(str(c))
    return {powers: c for powers, c in found.items() if c}


def test_a_script_that_sums_the_same_way_is_easy_to_write():
    assert checksum("") == "#811c9dc5"  # the FNV-1a of nothing, and of "a": RFC 9923
    assert checksum("a") == "#e40c292c"


def test_the_letters_of_the_script_are_those_of_the_alphabet():
    script = (resources.assets() / "searching.js").read_text(encoding="utf-8")
    letters = script.partition('LETTERS = "')[2].partition('"')[0]
    assert set(letters) == {s.name.lower() for s in ALPHABET if len(s.name) == 1}

