"""No formula changes unseen."""

from difflib import unified_diff

import pytest

from symledger.catalogue.entries import ENTRIES
from symledger.ledger.quantities import QUANTITIES
from symledger.recording.formulas import FILE, section, sections, written
from tests.every import CATALOGUE, WHOLE, account


@WHOLE
def test_every_formula_is_what_it_was():
    before = FILE.read_text(encoding="utf-8")
    now = written({owner: section(account(owner)) for owner in CATALOGUE})
    if before != now:
        diff = unified_diff(before.splitlines(), now.splitlines(), "golden", "derived", "", "", 1)
        pytest.fail(
            "\n".join(diff) + "\n\nIf this is meant: `symledger record formulas`, and review it.",
            pytrace=False,
        )


def test_what_is_read_is_what_is_written():
    assert written(sections()) == FILE.read_text(encoding="utf-8")


def test_the_golden_file_holds_every_owner_and_quantity():
    lines = FILE.read_text(encoding="utf-8").splitlines()
    for entry in ENTRIES:
        assert f"== {entry.family}" in lines
    for quantity in QUANTITIES:
        assert any(f".{quantity} [" in line for line in lines)
