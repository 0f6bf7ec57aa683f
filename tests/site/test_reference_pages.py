"""The pages of reference: what they say is what the ledger, the evidence and the papers say."""

import pytest

from symledger import evidence
from symledger.catalogue import AXIOMS
from symledger.site.generator import Site
from symledger.site.kinds import axioms


@pytest.fixture(scope="module")
def site() -> Site:
    return Site()


@pytest.fixture(scope="module")
def rules(site: Site) -> dict[str, axioms.Rule]:
    return {rule.key: rule for entry in AXIOMS for rule in [axioms.Rule(site.atlas, entry)]}


def test_every_axiom_has_its_text_and_no_text_is_left_over(rules: dict[str, axioms.Rule]) -> None:
    assert set(axioms.texts()) == set(rules)


def test_every_axiom_was_checked_and_passed(rules: dict[str, axioms.Rule]) -> None:
    assert {key: r.passed for key, r in rules.items() if r.passed != len(r.records)} == {}
    assert min(rule.passed for rule in rules.values()) >= 10


@pytest.mark.parametrize(
    ("key", "formulas"),
    [("leaf", "all"), ("call_scan", "some"), ("recompute", "some"), ("fused", "some")],
)
def test_formulas_rest_on_an_axiom(
    rules: dict[str, axioms.Rule], key: str, formulas: str
) -> None:
    use = rules[key].use
    assert 0 < use.owners <= use.of_owners
    assert (use.owners == use.of_owners) == (formulas == "all")
    assert use.formulas < use.of_formulas


def test_every_wrong_rule_stands_on_the_page_once(rules: dict[str, axioms.Rule]) -> None:
    shown = [row["mistake"] for rule in rules.values() for row in rule.wrong]
    general = [r["mistake"] for r in evidence.mutants()["rules"] if not r["about"]]
    assert sorted(shown + general) == sorted(r["mistake"] for r in evidence.mutants()["rules"])


def test_a_view_shares_its_storage_and_a_join_does_not(rules: dict[str, axioms.Rule]) -> None:
    views = {key for key, rule in rules.items() if rule.is_view}
    assert views == {"rearrange", "slice", "pad", "windows"}
