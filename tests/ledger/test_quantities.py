"""Quantities: those that are made of others, and those that are read once for all types."""

import pytest

from symledger.ledger import quantities
from symledger.ledger.quantities import QUANTITIES
from tests.every import account

OTHERWISE = (
    {"dtype": "bf16", "optimizer": "adam-mixed"}, {"dtype": "fp64", "optimizer": "sgd"},
    {"dtype": "int8", "causal": "exact"},
)  # fmt: skip


@pytest.mark.parametrize("changed", OTHERWISE)
@pytest.mark.parametrize("owner", ["mini_gpt", "lstm", "embedding_bag", "cached_attention"])
def test_under_any_conventions_a_quantity_is_what_its_lines_add_up_to(owner, changed):
    counted = account(owner).under(**changed)
    for name in counted.quantities:
        assert counted[name].general == counted[name].line.total


@pytest.mark.parametrize("name", [name for name, q in QUANTITIES.items() if q.stored])
def test_bytes_of_elements_are_read_once_for_all_types(name, monkeypatch):
    fresh = account("attention").under(dtype="fp64")
    fresh.readings._elements.pop(name, None)
    wide = fresh[name].general
    monkeypatch.setitem(QUANTITIES, name, quantities.stored(name, "", lambda r, bytes_of: None))
    assert {m: 2 * c for m, c in fresh.under(dtype="fp32")[name].general.items()} == wide


def test_what_is_made_of_others_is_read_only_where_its_lines_are_asked_for():
    fresh = account("linear").under(dtype="fp8")
    fresh.readings._tallies.clear()
    assert fresh["memory.training"].general
    assert "memory.training" not in {name for name, _ in fresh.readings._tallies}
