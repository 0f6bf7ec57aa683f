"""The pages of reference: what they say is what the ledger, the evidence and the papers say."""

from dataclasses import replace

import pytest

import symledger
from symledger import algebra
from symledger.accounts.rules_of_thumb import RULES
from symledger.algebra.parsing import parse_expression
from symledger.catalogue.entries import AXIOMS
from symledger.catalogue.entries import BY_NAME as CATALOGUE
from symledger.evidence import records as evidence
from symledger.languages.language import ENGLISH
from symledger.ledger.conventions import DTYPES
from symledger.ledger.optimizers import OPTIMIZERS
from symledger.ledger.peaks import PEAKS
from symledger.ledger.quantised import TYPES
from symledger.ledger.quantities import QUANTITIES
from symledger.site.atlas import Atlas
from symledger.site.generator import Site
from symledger.site.kinds import api, axioms, completeness, dialects, reliability
from symledger.site.kinds import rules as quoting
from symledger.site.text.worded import data
from symledger.sizes import BY_NAME, B, L, T, T_max, V, d, h
from symledger.torch_layers.table import LAYERS, NAMES
from tests.site.whole import ATLAS


@pytest.fixture(scope="module")
def rules(site: Site) -> dict[str, axioms.Rule]:
    return {rule.key: rule for entry in AXIOMS for rule in [axioms.Rule(site.atlas, entry)]}


def test_every_axiom_has_its_text_and_no_text_is_left_over(rules: dict[str, axioms.Rule]) -> None:
    assert set(data("axioms")) == set(rules)
    assert all(rule.name and rule.text for rule in rules.values())


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


# The same of the rows of Kaplan's Table 1: what enters is looked up and added, maps have biases.
ROWS = {
    ("embed", "params"): 0, ("embed", "flops.forward"): 4 * B * T * d,
    ("attention: QKV", "params"): -3 * L * d, ("attention: QKV", "flops.forward"): 0,
    ("attention: mask", "flops.forward"): 0,
    ("attention: project", "params"): -L * d, ("attention: project", "flops.forward"): 0,
    ("feedforward", "params"): -5 * L * d, ("feedforward", "flops.forward"): 0,
    ("de-embed", "flops.forward"): 0,
}  # fmt: skip


def test_rows_of_a_table_differ_by_what_they_count(others: dialects.Dialects) -> None:
    found = {
        (s.what, s.ask): algebra.expression(s.difference)
        for paper in others.papers for rows in paper.tables.values() for s in rows
    }  # fmt: skip
    assert set(found) == set(ROWS)
    assert not [key for key, e in found.items() if (e - ROWS[key]).expand() != 0]


@pytest.mark.parametrize("quantity", ["params", "flops.forward"])
def test_rows_of_a_table_add_up_to_its_total(
    others: dialects.Dialects, quantity: str
) -> None:
    """Its total leaves the tables out, and the logits."""
    (paper,) = [paper for paper in others.papers if paper.tables]
    (total,) = [s for s in paper.statements if s.ask == quantity]
    inner = [s for s in paper.tables[quantity] if s.what not in ("embed", "de-embed")]
    assert algebra.add(s.theirs for s in inner) == total.theirs


def test_every_difference_that_is_not_nothing_is_named(others: dialects.Dialects) -> None:
    stated = [s for paper in others.papers for s in paper.statements]
    stated += [s for paper in others.papers for rows in paper.tables.values() for s in rows]
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


def test_every_comparison_on_record_is_counted_once() -> None:
    record = reliability.Recorded()
    assert sum(len(kind.found) for kind in record.kinds) == len(record.evidence)
    written = sum(
        len(about.evidence)
        for path in evidence.FOLDER.rglob("*.json")
        for about in evidence.recorded(path.stem).values()
    )  # fmt: skip
    assert len(record.evidence) == written
    assert record.failed == 0
    assert [kind.kind for kind in record.kinds if kind.is_proof] == ["identity"]
    assert {kind.kind for kind in record.kinds if float(kind.worst)} == {
        "finite differences", "complex step", "pytorch",
    }  # fmt: skip


def test_every_mutant_is_counted_once_and_none_survived() -> None:
    record = reliability.Recorded()
    rows = evidence.mutants()
    assert record.mutants == len(rows["rules"]) + sum(r["number"] for r in rows["others"])
    assert all(killer for m in record.mistakes for killer, _ in m.killers)
    assert 0 < record.by_record < record.mutants


@pytest.fixture(scope="module")
def coverage(site: Site) -> completeness.Coverage:
    return completeness.Coverage(site.atlas)


def test_every_owner_is_in_the_table_and_nothing_is_unchecked(
    coverage: completeness.Coverage, site: Site
) -> None:
    rows = [row for group in coverage.groups.values() for row in group]
    assert sorted(r.entry.name for r in rows) == sorted(e.name for e in site.atlas.owners)
    assert {r.entry.name for r in rows if "not_checked" in r.statuses} == set()
    assert {"PyTorch", "checked", "none"} == set(coverage.counts) - {"not_checked"}


def test_what_is_not_on_record_is_not_checked(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "recorded", lambda owner: {})
    monkeypatch.setattr(evidence, "traced", lambda owner: ())
    unlooked = {asked: account._copied() for asked, account in ATLAS._accounts.items()}
    fresh = completeness.Coverage(Atlas(_accounts=unlooked))
    assert set(fresh.counts) == {"not_checked", "none"}


def test_every_layer_of_torch_is_read_or_refused(coverage: completeness.Coverage) -> None:
    assert {layer.name for layer in coverage.layers} == {layer.name for layer in LAYERS}
    assert sorted([*coverage.refused, *{layer.name for layer in LAYERS}]) == sorted(set(NAMES))


def test_what_is_called_missing_is_missing(coverage: completeness.Coverage) -> None:
    names = {*CATALOGUE, *QUANTITIES, *PEAKS, *OPTIMIZERS, *DTYPES, *TYPES}
    there = {*names, *(name.rpartition(".")[0] for name in names)}
    assert [name for row in coverage.missing for name in row.names if name in there] == []


def test_every_public_name_is_documented() -> None:
    names = {found.name for group in api.groups() for found in group.names}
    assert set(symledger.__all__) <= names
    assert [found.name for g in api.groups() for found in g.names if not found.prose] == []


def test_a_docstring_is_read_in_its_parts() -> None:
    (derive,) = (f for g in api.groups() for f in g.names if f.name == "derive")
    assert [item.name for item in derive.arguments][:2] == ["target", "set"]
    assert [item.name for item in derive.errors] == ["SymledgerError"]
    assert derive.examples == ('>>> derive("mini_gpt").params.value\n131392',)
    assert derive.signature.endswith(") -> Account")
    assert " at 0x" not in str(api.groups())


def test_markdown_leaves_the_words_of_a_docstring_alone() -> None:
    assert api.written("``a_b`` < *c*") == "<code>a&#95;b</code> &lt; <em>c</em>"


def test_every_rule_is_tried_at_models_and_every_crossover_has_numbers() -> None:
    quoted = quoting.Quoted(ATLAS)
    assert len(quoted.rules) == len(RULES)
    for stated in quoted.rules:
        assert [t.name for t in stated.trials] == list(quoting.EXAMPLES)
        assert all(t.said and t.derived and t.off for t in stated.trials)
    (tenth,) = [t.breaks for t in quoted.rules[1].trials if t.name == "gpt2"]
    assert tenth == "T = 800"
    assert all(crossing.numbers for crossing in quoted.crossings)


def test_every_check_of_a_trace_says_what_it_shares() -> None:
    pytest.importorskip("torch", reason="needs PyTorch")
    from symledger.tracing.checking.checks import CLAIMS
    from symledger.tracing.runs.torch_version import UNCOUNTED

    said = data("checks_of_traces")
    assert [c["quantity"] for c in said["checks"]] == ["operations", *CLAIMS, "values"]
    corrected = {name for c in said["corrections"] for name in c["operators"]}
    assert corrected == {str(operator) for operator in UNCOUNTED}


def test_the_checks_of_a_trace_are_on_the_page(site: Site) -> None:
    (page,) = reliability.pages(site.atlas, site.templates(site.tongues[ENGLISH]))
    for check in data("checks_of_traces")["checks"]:
        assert check["shares"].partition(";")[0] in page.merged
