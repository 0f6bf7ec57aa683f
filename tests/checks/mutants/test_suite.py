"""Every mistake is found by some check; what is no mistake survives, so that a hunt can fail."""

from collections import Counter
from dataclasses import replace
from functools import partial
from time import process_time

import pytest

from symledger import derive
from symledger.checks.mutants.hunting import RECORDED, WITNESS, killer, killer_of_rules
from symledger.checks.mutants.mutant import Mutant
from symledger.checks.mutants.rewriting import Rewriting, again
from symledger.checks.mutants.rules import replaced
from symledger.checks.mutants.statements import STATEMENTS, Statement, refused
from symledger.checks.mutants.suite import Report, all_mutants, run_mutants
from symledger.checks.torch.witness import installed
from symledger.evidence import records as evidence
from symledger.ledger.conventions import DTYPES, Conventions
from symledger.ledger.optimizers import OPTIMIZERS
from symledger.printing import units
from symledger.readings import flops
from tests.every import INTEGRATING, share
from tests.ledger import test_conventions as conventions_tests
from tests.printing import test_units as units_tests

SECONDS = 60
in_units = units_tests.test_bytes_are_written_in_units_by_their_right_names
value_bytes = conventions_tests.test_bytes_of_a_value
optimizer_state = conventions_tests.test_bytes_of_optimizer_state


KINDS = {
    "dropped weight", "duplicated weight", "wrong size", "wrong symbol", "wrong times",
    "wrong storage class", "swapped axis", "dropped line", "dropped term", "coefficient",
    "forgotten sum", "forgotten gradient", "saved set", "wrong number of pairs",
    "price", "pull-back", "windows", "scan", "mask", "saved", "count", "wrong statement",
}  # fmt: skip
STALE = "run `symledger record mutants`: a mutant or a check has changed"


def hunted():
    """Return every tenth mutant of each kind, the first among them; all in integration."""
    known = list(all_mutants())
    asked = {id(m) for kind in KINDS for m in share([m for m in known if m.kind == kind], 10)}
    return [m for m in known if id(m) in asked]


def rows(record):
    """Return the rows of a record, each as often as it stands for a mutant.

    What PyTorch finds, the record finds where PyTorch is not there.
    """
    found = Counter()
    for row in (*record["rules"], *record["others"]):
        alone = row["killer"] == WITNESS and not installed()
        by = RECORDED if alone else row["killer"]
        found[row["about"], row["kind"], row.get("mistake"), by] += row.get("number", 1)
    return found


def test_no_mutant_survives():
    started = process_time()
    report = run_mutants(hunted())
    print(report)
    assert report.survivors == ()
    assert set(report.kinds) == KINDS
    assert process_time() - started < SECONDS
    assert rows(report.record()) <= rows(evidence.mutants()), STALE
    assert not INTEGRATING or rows(report.record()) == rows(evidence.mutants()), STALE


def test_the_mutants_on_record_are_those_that_there_are():
    """Whatever killed them."""
    now = Report(tuple((m, "") for m in all_mutants())).record()
    before = evidence.mutants()
    anyhow = {name: [{**row, "killer": ""} for row in found] for name, found in before.items()}
    assert rows(now) == rows(anyhow), STALE
    assert {row["kind"] for found in before.values() for row in found} == KINDS


def same(name):
    program = derive(name).program
    rewriting = Rewriting(program.outputs[0], again)
    return killer(name, rewriting.program(program))


def same_rule():
    with replaced(flops, "contraction", lambda right: lambda t, causal: right(t, causal)):
        return killer_of_rules([("linear", {})])


RIGHT = (
    Statement("none", "linear", "params", "(d_in + 1)*d_out"),
    Statement("none", "dropout", "memory.saved", "B*T*n"),
    Statement("none", "lm_head", "flops.forward", "2*B*T*V*d"),
    Statement("none", "cached_attention", "memory.kv_cache", "2*B*S*h_kv*(d_k + d_v)"),
)
ABOUT = dict.fromkeys((s.target, s.quantity, s.options) for s in STATEMENTS)


@pytest.mark.parametrize(
    "harmless", [partial(same, "attention"), same_rule, *(partial(refused, s) for s in RIGHT)]
)
def test_what_is_no_mistake_survives_and_is_named(harmless):
    report = run_mutants([Mutant("none", "harmless", harmless)])
    assert report.survivors == ("none: harmless",)
    assert "survived: none: harmless" in str(report)
    assert str(report).endswith("1 mutants, 0 killed")


@pytest.mark.parametrize("about", ABOUT)
def test_a_statement_is_refused_for_its_error_and_not_for_its_target(about):
    target, quantity, options = about
    account = derive(target, dict(part.split("=") for part in options.split()), dtype="fp16")
    right = str(account[quantity].expr)
    assert refused(Statement("none", target, quantity, right, options)) == ""


def test_a_wrong_rule_is_taken_back():
    right = flops.contraction
    with replaced(flops, "contraction", lambda right: None):
        assert flops.contraction is None
    assert flops.contraction is right


# Conventions are words for numbers; what holds them to their meaning is the tests about them.

ADAM = replace(OPTIMIZERS["adam"], copies=1)
WIDE = replace(OPTIMIZERS["adam-mixed"], wide=2)
SWAPPED = tuple((n, name.replace("i", "")) for n, name in units.BINARY)


@pytest.mark.parametrize(
    ("mistake", "convention", "check"),
    [
        ("Adam keeps one moment", (OPTIMIZERS, "adam", ADAM),
         partial(optimizer_state, "fp32", "adam", 8, 16)),
        ("momentum keeps nothing", (OPTIMIZERS, "momentum", OPTIMIZERS["sgd"]),
         partial(optimizer_state, "fp32", "momentum", 4, 12)),
        ("mixed precision without master weights", (OPTIMIZERS, "adam-mixed", WIDE),
         partial(optimizer_state, "bf16", "adam-mixed", 12, 16)),
        ("tf32 in 19 bits", (DTYPES, "tf32", 2), partial(value_bytes, "tf32", 4)),
        ("int8 in a word", (DTYPES, "int8", 4), partial(value_bytes, "int8", 1)),
    ],
)  # fmt: skip
def test_a_wrong_convention_is_refused(mistake, convention, check, monkeypatch):
    monkeypatch.setitem(*convention)
    with pytest.raises(AssertionError):
        check()


def test_mib_called_mb_is_refused(monkeypatch):
    monkeypatch.setattr(units, "BINARY", SWAPPED)
    with pytest.raises(AssertionError):
        in_units(9_449_472, "≈ 9.012 MiB ≈ 9.449 MB")


def test_adam_times_three_is_refused(monkeypatch):
    """Training with Adam as three times the weights: the gradients forgotten."""
    from symledger.ledger import quantities

    nothing = quantities.Part(quantities.TRAINED.name, lambda conventions: 0)
    forgotten = quantities.made_of("memory.gradients", "bytes", "forgotten", nothing)
    monkeypatch.setitem(quantities.QUANTITIES, "memory.gradients", forgotten)
    assert Conventions().state_bytes == 8
    with pytest.raises(AssertionError):
        optimizer_state("fp32", "adam", 8, 16)
