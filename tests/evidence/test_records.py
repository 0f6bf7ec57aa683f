"""The recorded evidence is complete, passed, and about the formulas as they are now."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from symledger import Account, derive
from symledger.catalogue.entries import place
from symledger.errors import BadInput
from symledger.evidence import records as evidence
from tests.every import EVERY_CASE, OWNERS, WHOLE, account, chosen

ROOT = Path(__file__).parents[2]


def unproven(found: Account) -> dict[str, set[str]]:
    """The quantities without passed evidence about this very formula, and what there is."""
    statuses = {
        quantity: {record.status for record in records}
        for quantity, records in found.evidence.items()
    }
    nothing = {q for q in found.quantities if not found[q].general}
    return {q: s for q, s in statuses.items() if s != {"passed"} and q not in nothing}


@WHOLE
@EVERY_CASE
@pytest.mark.parametrize("owner", sorted(OWNERS))
def test_every_quantity_has_fresh_passed_evidence(owner: str) -> None:
    """Every run looks at every owner: what is another formula than was checked is found."""
    assert unproven(account(owner)) == {}, (
        f"run `symledger record {owner}` after a formula of it has changed"
    )


@pytest.mark.parametrize("owner", sorted(OWNERS))
def test_every_quantity_of_every_variant_has_fresh_passed_evidence(owner: str) -> None:
    for name, found in chosen(owner).items():
        assert unproven(found) == {}, (
            f"run `symledger record {owner}` after a formula of {name} has changed"
        )


WITNESSED = {"memory.peak.forward": "passed", "memory.peak.backward": "passed"}


def alive(found: Account, quantity: str = "memory.peak.train") -> dict[str, str]:
    """What is recorded of peaks: of which passes, and whether it is of this very formula."""
    records = found.evidence_for(quantity)
    return {r.quantity: r.status for r in records if r.kind == "live set"}


@pytest.mark.parametrize("owner", sorted(OWNERS))
def test_peaks_are_witnessed_by_the_live_set_of_a_run(owner: str) -> None:
    found, again = account(owner), f"run `symledger record {owner}`"
    assert set(alive(found).values()) <= {"passed"}, again
    assert {name for name in WITNESSED if peaks(found, name)} <= alive(found).keys(), again


def peaks(found: Account, name: str) -> bool:
    """Whether there is a peak to be witnessed: something is computed, as often as is counted."""
    try:
        return bool(found[name].moments)
    except BadInput as refused:
        if not re.search(r"nothing is computed|average", str(refused)):
            raise
        return False


def test_what_is_run_otherwise_than_it_was_witnessed_says_so() -> None:
    served = {f"memory.peak.{way}": alive(derive("gpt2"), f"memory.peak.{way}")
              for way in ("prefill", "decode")}  # fmt: skip
    assert served == {name: {name: "passed"} for name in served}
    assert alive(derive("gpt2", {"L": 2}, dtype="bf16", optimizer="muon")) == WITNESSED
    assert set(alive(derive("gpt2", recompute="full")).values()) == {"stale"}
    assert alive(derive("gpt2", accumulate=True)) == {}
    assert alive(derive("gpt2", schedule="eager")) == {}
    assert alive(derive("gpt2", input_gradient=False)) == {}


@EVERY_CASE
@pytest.mark.parametrize("owner", sorted(OWNERS))
def test_an_owner_is_recorded(owner: str) -> None:
    """What else fails for want of it is left to this test (``conftest.py``)."""
    file = place(evidence.FOLDER, owner)
    if not file.is_file():
        where = file.relative_to(ROOT)
        pytest.fail(f"there is no {where}: run `symledger record {owner}`", pytrace=False)


def test_no_file_is_left_over() -> None:
    there = {*evidence.FOLDER.rglob("*.json")}
    assert there <= {place(evidence.FOLDER, owner) for owner in OWNERS}, "`symledger record`"


@pytest.mark.parametrize("owner", sorted(OWNERS))
def test_no_variant_is_left_over(owner: str) -> None:
    assert set(evidence.recorded(owner)) == chosen(owner).keys()


def test_evidence_about_another_formula_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    account = derive("mini_gpt")
    record = evidence.recorded("mini_gpt")["mini_gpt"]
    changed = replace(record, hashes={**record.hashes, "params": "0" * 16})
    monkeypatch.setattr(evidence, "recorded", lambda owner: {owner: changed})
    assert "stale" in {r.status for r in account.evidence["params"]}
    assert {r.status for r in account.evidence["flops.forward"]} == {"passed"}


def test_evidence_survives_another_dtype_and_configuration() -> None:
    account = derive("mini_gpt", {"d": 128}, dtype="bf16")
    assert {r.status for r in account.evidence["memory.saved"]} == {"passed"}


def test_what_was_asked_for_otherwise_is_not_checked() -> None:
    assert derive("linear", input_gradient=False).evidence["flops.backward"] == []
    assert derive("linear", frozen=["W"]).evidence["memory.saved"] == []
    assert derive("mini_gpt", {"tied": False, "bias": True}).evidence["params"] == []
