"""No formula changes unseen."""

from difflib import unified_diff

import pytest

from symledger.catalogue.entries import ENTRIES
from symledger.ledger.quantities import QUANTITIES
from tests.every import WHOLE

from . import FILE, text


@WHOLE
def test_every_formula_is_what_it_was():
    before, now = FILE.read_text(encoding="utf-8"), text()
    if before != now:
        diff = unified_diff(before.splitlines(), now.splitlines(), "golden", "derived", "", "", 1)
        pytest.fail(
            "\n".join(diff) + "\n\nIf this is meant, run `python -m tests.golden` and review it.",
            pytrace=False,
        )


def test_the_golden_file_holds_every_owner_and_quantity():
    lines = FILE.read_text(encoding="utf-8").splitlines()
    for entry in ENTRIES:
        assert f"== {entry.family}" in lines
    for quantity in QUANTITIES:
        assert any(f".{quantity} [" in line for line in lines)
