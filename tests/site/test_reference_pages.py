"""The pages of reference: what they say is what the ledger, the evidence and the papers say."""

from dataclasses import replace

import pytest

from symledger import algebra, evidence
from symledger.assumptions import parse_expression
from symledger.catalogue import AXIOMS
from symledger.site.generator import Site
from symledger.site.kinds import axioms, dialects
from symledger.sizes import BY_NAME, B, L, T, T_max, V, d, h


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
    assert use.formulas < use.of_formulas or formulas == "all"


def test_every_wrong_rule_stands_on_the_page_once(rules: dict[str, axioms.Rule]) -> None:
    shown = [row["mistake"] for rule in rules.values() for row in rule.wrong]
    general = [r["mistake"] for r in evidence.mutants()["rules"] if not r["about"]]
    assert sorted(shown + general) == sorted(r["mistake"] for r in evidence.mutants()["rules"])


def test_a_view_shares_its_storage_and_a_join_does_not(rules: dict[str, axioms.Rule]) -> None:
    views = {key for key, rule in rules.items() if rule.is_view}
    assert views == {"rearrange", "slice", "pad", "windows"}


@pytest.fixture(scope="module")
def others(site: Site) -> dialects.Dialects:
    return dialects.Dialects(site.atlas)


# What each statement counts more than the ledger under the same convention, worked out by hand.
DIFFERENCES = {
    ("kaplan-2020", "params"): -13 * L * d - 2 * d,
    ("kaplan-2020", "flops.forward"): 0,
    ("kaplan-2020", "flops.training"): -12 * B * L * T**2 * d,
    ("megatron-2021", "flops.training"): 0,
    ("korthikanti-2022", "flops.training"): 0,
    ("chinchilla-2022", "flops.forward"): 2 * B * T * V * d + 3 * B * L * T**2 * h,
    ("palm-2022", "flops.training"): 6 * B * T * (13 * L * d + T_max * d + 2 * d),
}


def test_statements_of_papers_differ_by_what_they_count(others: dialects.Dialects) -> None:
    found = {
        (paper.key, s.ask): algebra.expression(s.difference)
        for paper in others.papers for s in paper.statements
    }  # fmt: skip
    assert set(found) == set(DIFFERENCES)
    assert not [key for key, e in found.items() if (e - DIFFERENCES[key]).expand() != 0]


def test_every_difference_that_is_not_nothing_is_named(others: dialects.Dialects) -> None:
    stated = [s for paper in others.papers for s in paper.statements]
    assert [s.what for s in stated if s.is_exact == bool(s.why)] == []


def test_a_wrong_statement_would_show(others: dialects.Dialects) -> None:
    right = next(s for p in others.papers for s in p.statements if p.key == "megatron-2021")
    assert not replace(right, said=right.said.replace("96", "72")).is_exact
    assert not replace(right, set={}).is_exact


def test_formulas_beside_the_tools_explain_what_was_measured(others: dialects.Dialects) -> None:
    at = others.measured.assumed.bindings
    assert others.measured.flops_forward.value == 7_340_032
    assert others.measured.params.value == 110_336
    for tool in others.tools:
        for printed, said in ((tool.explicit, tool.more), (tool.fused, tool.fused_more)):
            if said:
                more = algebra.value(algebra.terms(parse_expression(said, BY_NAME).expand()), at)
                assert printed - tool.derived == more, tool.name
