"""The page for people: what it says, how it is aligned, and that it says nothing it cannot."""

import pytest

from symledger import derive
from symledger.catalogue.entries import ENTRIES
from symledger.printing.numbers import error_percent, substituted
from symledger.printing.rows import percent, rows
from symledger.report import markdown
from symledger.report.layout import Page, wrap
from symledger.report.page import page
from tests.every import account
from tests.invoke import derived


def text(target: str, **how: object) -> str:
    return page(derive(target, **how), (), 2, 100).text()  # type: ignore[arg-type]


def test_mini_gpt_is_opened_line_by_line_with_shapes_values_and_shares() -> None:
    account = derive("mini_gpt")
    found = [(r.label, r.weights, r.shape, r.formula, r.value, r.share)
             for r in rows(account, account.params, 2)]  # fmt: skip
    assert found == [
        ("token embedding", "E", "(V, d)", "Vd", "32,768", "24.9 %"),
        ("block × L", "", "", "L(12d² + 2d)", "98,560", "75.0 %"),
        ("norm 1", "g", "(d)", "d", "64", ""),
        ("attention", "W_Q W_K W_V W_O", "4 × (d, d)", "4d²", "16,384", ""),
        ("norm 2", "g", "(d)", "d", "64", ""),
        ("feed forward", "W_1 W_2", "(d, 4d), (4d, d)", "8d²", "32,768", ""),
        ("final norm", "g", "(d)", "d", "64", "0.0 %"),
        ("head, tied to E", "E", "(V, d)", "0", "0", "0 %"),
    ]


@pytest.mark.parametrize("said", [
    "12Ld² + 2Ld + Vd + d",
    "≈ 12Ld² + Vd = 131,072, too low by 0.24 %; proven: by at most max(1/(6d), 1/V) = 0.26 %",
    "= 12·2·64² + 2·2·64 + 512·64 + 64",
    "= 131,392 parameters",
    "71,303,168", "142,606,336", "69,271,552", "69,206,016",
    "525,568 B  ≈ 513.2 KiB ≈ 525.6 kB",
    "counted operations",
])  # fmt: skip
def test_the_page_of_mini_gpt_says(said: str) -> None:
    assert said in text("mini_gpt")


def test_what_gave_way_is_said() -> None:
    assert "note: d_ff = 4*d gave way to d_ff = 100" in text("mini_gpt", set={"d_ff": 100})


def test_an_unbound_page_has_formulas_and_no_numbers() -> None:
    written = text("attention")
    assert "4d²" in written
    assert "proven too low by" not in written  # one term leads, nothing is left out
    assert "parameters   share" not in written


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_no_line_of_any_page_is_wider_than_asked(name: str) -> None:
    assert max(map(len, derived(name).out.splitlines())) <= 100


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_every_entry_can_be_written_as_markdown(name: str) -> None:
    quantities = account(name).quantities
    written = markdown.write(account(name), quantities, 3)
    assert written.count("\n## ") == len(quantities) + 1
    assert "\n\n\n" not in written


def test_numbers_are_put_in_for_symbols() -> None:
    assert substituted(derive("linear", {"d_in": 768, "d_out": 3072}).params) == "768·3072 + 3072"
    assert substituted(derive("attention", {"d": 8, "h": 4}, ["h_kv = 1"]).params) == (
        "2·8² + 2·8²/4"
    )


@pytest.mark.parametrize(("share", "said"), [("0", "0 %"), ("1/3", "33.3 %"), ("1/5000", "0.0 %")])
def test_shares_say_nothing_only_of_nothing(share: str, said: str) -> None:
    from fractions import Fraction

    assert percent(Fraction(share)) == said
    assert error_percent(Fraction(1, 384)) == "0.26 %"


def test_long_formulas_are_broken_before_a_sign() -> None:
    assert list(wrap("aaaa + bbbb + cccc", 20)) == ["aaaa + bbbb + cccc"]
    assert list(wrap("aaaaaaaaaa + bbbbbbbbbb + cccc", 24)) == ["aaaaaaaaaa + bbbbbbbbbb", "+ cccc"]
    p = Page(30)
    p.table([["a", "x" * 30], ["b", "y"]], ("", ""), set(), flexible=(1,))
    assert p.text() == f"  a\n     {'x' * 30}\n  b  y\n"
