"""The optimizer's step, first steps and added gradients: against runs and by hand."""

import pytest

from symledger import derive
from symledger.checks.alive import measured
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.errors import BadInput
from symledger.ledger.updates import UPDATES
from symledger.ledger.updates import run as updated
from symledger.readings.pullback import pullback
from tests.invoke import run

BYTES = {"value": 4, "statistic": 4, "mask": 1, "index": 8}
LINEAR = {"B": 5, "d_in": 7, "d_out": 3}
WEIGHTS = 7 * 3 + 3


@pytest.mark.parametrize(("optimizer", "step", "copies"), [
    ("sgd", "foreach", 1 + 1), ("momentum", "single", 1 + 1 + 1), ("adam", "fused", 1 + 1 + 2),
    ("adam", "foreach", 1 + 1 + 2 + 1), ("adagrad", "foreach", 1 + 1 + 1 + 2),
])  # fmt: skip
def test_by_hand(optimizer, step, copies):
    """Weights, gradients, states, values of the step; what entered, and the gradient of that."""
    found = derive("linear", set=LINEAR, optimizer=optimizer, step=step)["memory.peak.step"]
    assert found.value == 4 * (copies * WEIGHTS + 2 * 5 * 7)


def test_one_by_one_a_value_of_the_weight_before_is_still_named():
    found = derive("linear", set=LINEAR, step="single")["memory.peak.step"]
    assert found.value == 4 * (4 * WEIGHTS + 2 * 5 * 7 + 2 * 7 * 3)
    wide = derive("linear", set={**LINEAR, "d_in": 1, "d_out": 9}, step="single")
    assert wide["memory.peak.step"].value == 4 * (4 * 18 + 2 * 5 + 2 * 9 + 9)


def test_the_largest_of_a_step_of_training_is_one_of_the_three():
    for said in ({}, {"first": True}, {"accumulate": True}, {"step": "single"}):
        account = derive("gpt2", **said)
        each = [account[f"memory.peak.{way}"].value for way in ("forward", "backward", "step")]
        assert account["memory.peak.train"].value == max(each)


def test_the_first_step_finds_no_state():
    later, first = derive("gpt2", optimizer="adam"), derive("gpt2", optimizer="adam", first=True)
    states = later["memory.optimizer"].value
    for way in ("forward", "backward"):
        name = f"memory.peak.{way}"
        assert later[name].value - first[name].value == states
    assert later["memory.peak.step"].value == first["memory.peak.step"].value
    made_before = derive("gpt2", optimizer="adagrad", first=True)["memory.peak.forward"]
    assert made_before.value == derive("gpt2", optimizer="adagrad")["memory.peak.forward"].value


@pytest.mark.parametrize("depth", [1, 3, 5])
@pytest.mark.parametrize("name", ["gpt2", "llama", "mixtral", "t5", "mamba"])
def test_added_gradients_are_there_throughout_and_new_ones_let_go(name, depth):
    program = derive(name).program
    sizes = sizes_for(program, 0, distinct=False)
    deep = {s: depth for s in sizes if s.name in ("L", "L_enc", "L_dec")}
    trial = Trial(program, pullback(program), {**sizes, **deep})
    most = max(m.bytes for m in measured(trial, BYTES, adding=True))
    account = derive(name, set={s.name: n for s, n in trial.sizes.items()}, accumulate=True,
                     optimizer="sgd", step="fused")  # fmt: skip
    there = account["memory.parameters"].value + account["memory.gradients"].value
    assert account["memory.peak.train"].value == there + most


@pytest.mark.parametrize("name", ["gpt2", "llama", "mixtral", "t5", "mamba", "linear"])
def test_gradients_in_another_type_are_priced_in_it(name):
    wide, narrow = (derive(name, dtype="bf16", gradients=g, step="fused") for g in ("fp32", ""))
    found = [a["memory.peak.backward"].moments[-1] for a in (wide, narrow)]
    parts = [{p.label: p.total for p in m.line.parts} for m in found]
    assert parts[0]["gradients"] == {m: 2 * c for m, c in parts[1]["gradients"].items()}


@pytest.mark.parametrize(("said", "message"), [
    ({"step": "twice"}, "is not a known way to run a step"),
    ({"optimizer": "adafactor-fp32"}, "what adafactor-fp32 makes while it updates weights is not"),
    ({"optimizer": "nadam", "step": "fused"}, "has no fused step"),
    ({"optimizer": "adam-mixed", "step": "foreach"}, "no optimizer of torch.optim"),
    ({"optimizer": "adam-mixed", "first": True}, "which states adam-mixed has"),
    ({"dtype": "bf16", "gradients": "fp32"}, "gradients of the weights' own type"),
    ({"frozen": "*"}, None),
])  # fmt: skip
def test_what_is_not_derived_is_refused_by_name(said, message):
    if message:
        with pytest.raises(BadInput, match=message):
            derive("gpt2", **said)["memory.peak.train"]
    else:
        with pytest.raises(BadInput, match="nothing is trained"):
            derive("gpt2", **said)["memory.peak.step"]
        assert derive("gpt2", **said)["memory.peak.train"].value


def test_a_page_says_how_the_step_is_run_and_which_weight_is_updated():
    page = run("derive", "gpt2", "--quantity", "memory.peak.step", "--step", "single")
    assert "the optimizer's step is run single: one weight after the other" in page.out
    assert "the largest here: the whole › E, update = 2,299,824,128 B" in page.out
    page = run("derive", "gpt2", "--quantity", "memory.peak.train", "--first")
    assert "all weights, update = 2,488,804,352 B" in page.out


def held_at_most(update, members=()):
    """How many values of a weight's size are held, of one that is updated behind another."""
    left = {}
    first, later = (
        [[size for _, size in made].count("") for made in updated(update, of, left, "a b", members)]
        for of in "EW"
    )  # fmt: skip
    return max(first), max(later)


@pytest.mark.parametrize(("update", "most"), [
    ("", (0, 0)), ("root denominator -root", (2, 3)), ("deviation step", (2, 3)),
    ("squares -squares estimate estimate>update", (1, 2)), ("signs *", (1, 2)),
])  # fmt: skip
def test_updates_are_read_as_they_are_written(update, most):
    assert held_at_most(update) == most


def test_values_of_single_weights_are_held_beside_lists():
    assert held_at_most("signs * -signs steps", "EW") == (3, 4)
    assert held_at_most(UPDATES["radam"].early) == (2, 2)


@pytest.mark.parametrize(("optimizer", "step", "most"), [
    ("adafactor", "", 4 * (21 + 3 + 7 + 2 * 3)), ("adafactor", "foreach", 4 * (21 + 3)),
    ("rprop", "", 4 * (24 + 21) + 21 + 4), ("rprop", "single", 4 * (21 + 2 * 21)),
    ("asgd", "", 4 * 24),
    ("muon", "", 4 * 21 + 2 * 2 * 21 + 2 * 2 * 9),
])  # fmt: skip
def test_what_others_make_by_hand(optimizer, step, most):
    """Of a linear map of 7 by 3 with a bias: beside weights, gradients, states and what entered."""
    account = derive("linear", set=LINEAR, optimizer=optimizer, step=step)
    there = 2 * 4 * WEIGHTS + account["memory.optimizer"].value + 4 * 2 * 5 * 7
    assert account["memory.peak.step"].value - there == most


def test_where_sizes_decide_which_side_is_shorter_that_is_said():
    with pytest.raises(BadInput, match="which side of W, d_in by d_out, is the shorter"):
        derive("linear", optimizer="muon")["memory.peak.step"]
    for d_in, d_out, where in ((7, 3, "d_in - d_out >= 0"), (3, 7, "-d_in + d_out >= 0")):
        account = derive("linear", set={"B": 5, "d_in": d_in, "d_out": d_out}, optimizer="muon")
        assert [d.canonical for d in account["memory.peak.step"].depths] == [where]
    assert not derive("feed_forward", optimizer="muon")["memory.peak.step"].depths


def test_muons_first_step_finds_no_state_of_the_rest():
    later, first = (derive("gpt2", optimizer="muon", first=n) for n in (False, True))
    assert {m.way for m in first["memory.peak.step"].moments} == {"step"}
    states = later["memory.optimizer"].value
    lines = [{p.label: p.total for p in m.line.parts} for m in first["memory.peak.step"].moments]
    assert states
    assert all("optimizer" in line for line in lines)
