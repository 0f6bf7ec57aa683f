"""Peaks: the largest of several moments, against what runs have in memory and by hand."""

import json
from random import Random

import pytest

from symledger import derive
from symledger.algebra import terms
from symledger.algebra.comparing import is_at_most, largest
from symledger.checks.alive import measured
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.errors import BadInput, UnknownTarget
from symledger.ledger.overtaking import overtakings
from symledger.ledger.peaks import PASSES, PEAKS
from symledger.readings.pullback import pullback
from symledger.report.python import function
from symledger.sizes import L, T, d
from tests.invoke import run

BYTES = {"value": 2, "statistic": 4, "mask": 1, "index": 8}


def throughout(account):
    return account["memory.parameters"].value + account["memory.optimizer"].value


@pytest.mark.parametrize("depth", [1, 3, 4, 6])
@pytest.mark.parametrize("name", ["gpt2", "llama", "mixtral", "bert", "t5", "mamba"])
def test_a_peak_is_the_most_that_a_run_has_in_memory(name, depth):
    """At every depth and at odd sizes, whichever moment is the largest there."""
    program = derive(name).program
    for attempt in range(2):
        sizes = sizes_for(program, attempt, distinct=False)
        deep = {s: depth for s in sizes if s.name in ("L", "L_enc", "L_dec")}
        trial = Trial(program, pullback(program), {**sizes, **deep})
        steps = measured(trial, BYTES)
        turn = len(measured(trial, BYTES, backward=False))
        settings = {s.name: n for s, n in trial.sizes.items()}
        account = derive(name, set=settings, dtype="fp16", step="fused")
        found = {way: account[f"memory.peak.{way}"].value - throughout(account)
                 for way in ("forward", "backward", "train")}  # fmt: skip
        most = [max(m.bytes for m in part) for part in (steps[:turn], steps[turn:], steps)]
        assert [*found.values()] == most


def test_by_hand():
    """Of a linear map: what enters, the product and the sum; then both gradients beside these."""
    forward, backward = (derive("linear")[f"memory.peak.{way}"] for way in ("forward", "backward"))
    assert forward.text == "4B·d_in + 8B·d_out + 12d_in·d_out + 12d_out"
    assert backward.text == "8B·d_in + 4B·d_out + 16d_in·d_out + 16d_out"


@pytest.mark.parametrize("name", PEAKS)
def test_lines_add_up_to_every_moment(name):
    peak = derive("gpt2")[name]
    assert [m.line.total for m in peak.moments] == [m.general for m in peak.moments]
    assert peak.value == max(m.exact for m in peak.moments) == max(m.exact for m in peak.remaining)


def test_a_moment_is_left_out_only_where_it_is_proven_to_be_no_larger():
    assert is_at_most(terms(3 * T * d + L), terms(3 * T * d + L * T))
    assert not is_at_most(terms(T * d), terms(T * T))
    random = Random(0)  # noqa: S311  # no secret
    symbols = (T, d, L)
    for _ in range(200):
        made = [
            terms(sum((random.randint(-3, 5) * random.choice(symbols) * random.choice(symbols)
                       for _ in range(3)), start=T * 0) + random.randint(0, 3))
            for _ in range(6)
        ]  # fmt: skip
        kept = [p for p, _ in largest((p, None) for p in made)]
        asked_again = [i for _, i in largest((p, i) for i, p in enumerate(made))]
        assert [made[i] for i in asked_again] == kept
        at = {s: random.randint(1, 9) for s in symbols}
        values = [sum(c * prod(at, m) for m, c in p.items()) for p in made]
        assert max(sum(c * prod(at, m) for m, c in p.items()) for p in kept) == max(values)


def prod(at, monomial):
    found = 1
    for symbol, n in monomial:
        found *= at[symbol] ** n
    return found


def test_from_where_another_moment_takes_over():
    account, name = derive("gpt2", set={"T_max": 10**6}), "memory.peak.backward"
    peak = account[name]
    for found in overtakings(peak):
        if found.symbol.name in ("T", "V"):  # others must divide
            before, after = (account.subs({found.symbol.name: found.value - n}) for n in (1, 0))
            assert before[name].largest.moment.number == peak.largest.moment.number
            assert after[name].largest.moment.number == found.moment.moment.number


def test_as_a_function():
    peak = derive("gpt2")["memory.peak.train"]
    space = {}
    exec(compile(function(peak), "peak", "exec"), space)  # noqa: S102  # ours
    assert space["gpt2_memory_peak_train"]() == peak.value
    with pytest.raises(ValueError, match="L >= 4"):
        space["gpt2_memory_peak_train"](L=3)


def test_it_is_asked_for_only_by_name():
    assert not set(PEAKS) & set(derive("gpt2").quantities)
    page = run("derive", "gpt2", "--quantity", "memory.peak.train")
    assert "the largest here: head, backward = 3,071,129,600 B" in page.out
    data = json.loads(run("derive", "gpt2", "--quantity", "memory.peak.train", "--json").out)
    formula = data["formulas"]["memory.peak.train"]
    assert formula["value"] == "3071129600"
    assert formula["holds_where"] == ["L >= 4"]
    assert max(int(m["value"]) for m in formula["moments"]) == 3071129600


def test_what_is_not_derived_is_refused_by_name():
    with pytest.raises(BadInput, match="on average only"):
        derive("albert")["memory.peak.train"]
    with pytest.raises(BadInput, match="does not decode"):
        derive("linear")["memory.peak.decode"]
    with pytest.raises(UnknownTarget, match=r"memory\.peak\.train"):
        derive("linear")["memory.peak.trian"]


@pytest.mark.parametrize(("target", "said", "depth"), [
    ("gpt2", {"recompute": "full:early", "optimizer": "adafactor"}, 7),
    ("mixtral", {"lora": "r=2", "accumulate": True}, 5), ("t5", {"step": "single"}, 3),
    ("lstm", {"first": True}, 6), ("mamba", {"recompute": "block:2", "dtype": "bf16"}, 12),
    ("gpt2", {}, 4),
])  # fmt: skip
def test_an_amount_is_the_value_of_its_formula(target, said, depth):
    """It is found without proofs, and the formula by many: at every depth they are the same."""
    account = derive(target, **said)
    sizes = {s.name: n for s, n in sizes_for(account.program, 0, distinct=False).items()
             if s not in account.program.definitions}  # fmt: skip
    at = account.subs({**sizes, **{name: depth for name in sizes if name in ("L", "L_enc")}})
    found = {name: at.amount(name) for name in PEAKS if PASSES[name].decodes is False}
    assert found == {name: at[name].value for name in found}


def test_the_gradient_of_a_table_of_which_a_part_is_read_is_whole():
    """PyTorch writes the gradient of a slice into zeros as long as the table."""
    sizes = {"B": 2, "T": 16, "d": 64, "h": 4, "L": 5, "V": 300}
    short, long = (
        derive("gpt2", set={**sizes, "T_max": n}, optimizer="sgd")["memory.peak.backward"].value
        for n in (200, 400)
    )
    assert long - short == 200 * 64 * (4 + 4)
