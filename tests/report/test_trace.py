"""What the page of a trace says in another language: claims that a file holds in English, sizes."""

import pytest

from symledger.accounts.account import derive
from symledger.languages.message import Message, say
from symledger.report.page import page
from symledger.report.trace import claimed
from symledger.tracing.checking.checks import CLAIMS

KEPT = "tables, the state of a generator"
VALUES = "outputs and all gradients, run in NumPy beside PyTorch in double precision"
AT = ", within 1e-10 at n = 7, B = 2"


@pytest.mark.parametrize("claim", [
    *CLAIMS.values(), f"{CLAIMS['memory.saved']} but {KEPT}", VALUES, f"{VALUES}{AT}",
    f"{VALUES}{AT}; mask; a bias left out",
])  # fmt: skip
def test_a_claim_of_a_file_is_a_message(claim):
    said = claimed(claim)
    assert isinstance(said, Message)
    assert said == claim
    assert not {"the", "of all", "within"} & {*say("es", said).split()}


def test_what_no_check_of_ours_claims_stays_as_it_is():
    assert say("es", claimed("something else, 1,024")) == "something else, 1,024"


def test_the_page_of_a_trace_is_said_in_another_language():
    shown = page(derive("examples/gpt.trace.json"), ("params",), 1, 100, "es").text()
    assert "EVIDENCIA DE ESTA TRAZA" in shown
    assert "traced" not in shown
    assert "V\u00a0=\u00a042\u202f354" in shown or "V = 42\u202f354" in shown


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_what_was_checked_is_no_wider_than_the_page(width):
    shown = page(derive("examples/gpt.trace.json"), ("params",), 1, width).text()
    said = shown[shown.index("EVIDENCE OF THIS TRACE") :].partition("\n\n")[0].splitlines()
    assert max(map(len, said)) <= width
    assert sum(line.strip().startswith("✓") for line in said) == 6
    assert sum("worst deviation" in line for line in said) == 1
