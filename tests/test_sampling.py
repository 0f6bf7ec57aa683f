"""What broad tests leave out, in integration and elsewhere: of each the same, and never all."""

from types import SimpleNamespace

import pytest

from tests import conftest
from tests.conftest import (
    ABOUT,
    ALWAYS,
    FAMILIES,
    HERE,
    MANY,
    RECORDED,
    broad,
    causes,
    drawn,
    has_turn,
    owner_of,
)
from tests.every import CATALOGUE, COSTLY, OWNERS


def cases(test, names, given="owner", marked=()):
    """Make what pytest collects of a test with parameters."""
    marks = {mark.name: mark for mark in marked}
    return [
        SimpleNamespace(
            callspec=SimpleNamespace(params={given: name}, id=str(name)), originalname=test,
            parent=SimpleNamespace(nodeid="tests/test_it.py"),
            get_closest_marker=lambda mark: marks.get(mark),
        )
        for name in names
    ]  # fmt: skip


def kept(items):
    left_out = {id(item) for item in broad(items)}
    return [item.callspec.id for item in items if id(item) not in left_out]


def test_what_is_always_looked_at_is_there_and_has_some_of_each_kind():
    assert {"linear", "mini_gpt"} <= ALWAYS <= {*OWNERS}
    assert {*kept(cases("test_a", OWNERS))} >= ALWAYS


@pytest.mark.parametrize("number", [MANY + 1, 200, 1000, 5000])
def test_about_as_many_are_looked_at_however_many_there_are(number):
    found = kept(cases("test_a", [f"case {n}" for n in range(number)], given="text"))
    assert found[0] == "case 0"
    assert ABOUT / 2 < len(found) < 2 * ABOUT


def test_what_is_looked_at_of_more_is_looked_at_of_fewer():
    names = [name for name in CATALOGUE if drawn(name, 400)]
    assert names
    assert all(drawn(name, 200) for name in names)


def test_a_model_that_is_named_is_looked_at_where_its_family_is():
    (item,) = cases("test_a", ["mini_gpt-small"], given="name")
    assert FAMILIES["mini_gpt-small"] == "mini_gpt"
    assert "mini_gpt-small" in kept([*cases("test_a", CATALOGUE), item])


def test_nothing_is_left_out_of_few_cases_or_where_that_is_said():
    assert not [*broad(cases("test_a", range(MANY)))]
    assert not [*broad([*cases("test_a", range(MANY)), *cases("test_b", range(MANY))])]
    assert not [*broad(cases("test_a", OWNERS, marked=[pytest.mark.every_case]))]


@pytest.mark.parametrize(("looked_at", "told"), [("linear", [RECORDED]), ("attention", [])])
def test_a_failure_is_left_to_a_case_that_is_looked_at_and_to_no_other(
    monkeypatch, looked_at, told
):
    monkeypatch.setattr(conftest, "unrecorded", lambda: {"linear"})
    session = SimpleNamespace(items=cases(RECORDED, [looked_at]))
    item = SimpleNamespace(path=HERE / "site" / "test_it.py", session=session)
    assert [*causes(item, SimpleNamespace(longreprtext="it is wrong"))] == told


@pytest.mark.parametrize("turn", range(conftest.OF))
def test_in_integration_one_owner_in_some_is_looked_at_and_all_that_is_none(monkeypatch, turn):
    monkeypatch.setattr(conftest, "TURN", turn)
    items = [*cases("test_a", CATALOGUE), *cases("test_b", range(MANY + 1))]
    others = {item.callspec.id for item in conftest.of_others(items)}
    assert 0.6 < len(others) / len(CATALOGUE) * conftest.OF / (conftest.OF - 1) < 1.1
    assert others < {*CATALOGUE} - ALWAYS


def test_each_owner_has_its_turn_and_a_published_configuration_has_its_familys(monkeypatch):
    looked_at = []
    for turn in range(conftest.OF):
        monkeypatch.setattr(conftest, "TURN", turn)
        looked_at += [name for name in CATALOGUE if name not in ALWAYS and has_turn(name)]
    assert sorted(looked_at) == sorted({*CATALOGUE} - ALWAYS)
    assert owner_of(cases("test_a", ["llama-3-8b"], given="name")[0]) == "llama"


def test_of_costly_cases_every_nth_is_looked_at_the_first_among_them():
    assert kept(cases("test_a", "abcdefg", given="text", marked=[COSTLY(3)])) == ["a", "d", "g"]
    assert kept(cases("test_a", "ab", given="text", marked=[COSTLY(3)])) == ["a"]
