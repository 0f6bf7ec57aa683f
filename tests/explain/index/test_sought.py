"""What is recorded of all amounts: whatever a table has is found, and answers are as without it."""

import pytest

from symledger.explain import tables
from symledger.explain.answer import explain
from symledger.explain.gathering import hashed
from symledger.explain.index import sought as recording
from symledger.explain.index.notation import written
from symledger.explain.index.readings import QUANTITIES
from symledger.explain.index.sought import FILE, NUMBERS, packed, places, recorded, sought
from symledger.explain.index.sources import catalogue
from symledger.explain.index.table import Table
from symledger.explain.unknown import candidates
from tests.every import CATALOGUE


def test_it_is_of_the_index_that_is_there():
    known = sought()
    assert known, "run symledger record sought"
    assert known.owners == CATALOGUE


@pytest.mark.parametrize(("unit", "which"), [("parameters", 3), ("bytes", 19), ("flop", 7)])
def test_whatever_some_owners_have_is_found(unit, which):
    known, owners = sought(), CATALOGUE[which::25]
    found = set(known.numbers.tolist())
    asked = QUANTITIES[unit]
    table = Table(catalogue(asked, {}, owners), asked, beside=(known, unit))
    assert all(found.issuperset(numbers.tolist()) for numbers in hashed(table))
    for quantity in {one.quantity for one in asked}:
        formulas = {written(one.left): one for one in known.formulas(unit, quantity)}
        for source, part, bound, _ in candidates(table):
            if part.quantity == quantity:
                one = formulas[written(bound.left)]
                assert source.variant.name in (one.whole if part.kind == "whole" else one.parts)


@pytest.mark.parametrize("number", ["2362368", "1234567891"])
def test_answers_are_the_same_as_without_it(number, monkeypatch):
    with monkeypatch.context() as few:
        few.setattr(tables, "_WHOLE", {})
        found = explain(number, unit="parameters").to_dict()
        assert not tables._WHOLE
    monkeypatch.setattr(tables, "sought", lambda: None)
    assert explain(number, unit="parameters").to_dict() == found


def test_numbers_are_read_back_as_they_were_packed(tmp_path):
    several = [places([1, 2, 3, 2**40, 10**30]), places([]), places([7])]
    data, lengths = packed(several)
    assert [list(n) for n in recording._unpacked(data, lengths)] == [list(n) for n in several]


@pytest.mark.parametrize("change", ["", "{}", '{"format": 0}', '{"format": 1, "of": "other"}'])
def test_of_another_index_nothing_is_used(change, tmp_path):
    file = tmp_path / "sought.json"
    assert recorded(FILE, tmp_path / "not there") is None
    file.write_text(change)
    assert recorded(file, NUMBERS) is None
