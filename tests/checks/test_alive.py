"""What is alive, step by step: a run in NumPy and the reading agree, and mistakes are found."""

import pytest

from symledger.checks.alive import differing
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.notation.calling import program_of
from symledger.readings.live import timeline
from symledger.readings.live.held import END, Application
from symledger.readings.live.timeline import Timeline
from symledger.readings.pullback import pullback
from symledger.targets.resolve import resolve
from tests.checks.bench import Recurrence

BYTES = {"value": 2, "statistic": 4, "mask": 1, "index": 8}


def trial(name, options=None, sizes=None, inputs=True):
    target = resolve(name)
    program = target.with_options(options or {}).program()
    found = sizes_for(program, 0, distinct=False)
    given = {s: (sizes or {}).get(s.name, n) for s, n in found.items()}
    return Trial(program, pullback(program, inputs), given)


@pytest.mark.parametrize("depth", range(1, 7))
@pytest.mark.parametrize(("name", "options"), [
    ("gpt2", {}), ("llama", {"recompute": True}), ("mixtral", {}), ("t5", {}),
    ("bert", {"dropout": True}), ("mamba", {}),
])  # fmt: skip
def test_every_step_is_what_a_run_has_alive_at_every_depth(name, options, depth):
    sizes = {"L": depth, "L_enc": depth, "L_dec": depth}
    assert differing(trial(name, options, sizes), BYTES) == []


@pytest.mark.parametrize("steps", range(1, 7))
@pytest.mark.parametrize("layers", [1, 2, 4, 6])
@pytest.mark.parametrize("name", ["lstm", "gru"])
@pytest.mark.parametrize("dropout", [False, True])
def test_repetitions_within_repetitions(name, layers, steps, dropout):
    """With dropout nothing but the layer itself keeps what it gives to the next one."""
    options = {"dropout": dropout}
    assert differing(trial(name, options, {"L": layers + 1, "T": steps}), BYTES) == []


@pytest.mark.parametrize(("layers", "inner"), [(2, 5), (4, 2), (5, 5), (7, 3)])
def test_what_enters_a_repetition_is_read_by_those_within_it(layers, inner):
    program = program_of(Recurrence())
    sizes = {s: {"L": layers, "M": inner}.get(s.name, n) for s, n in sizes_for(program).items()}
    assert differing(Trial(program, pullback(program), sizes), BYTES) == []


@pytest.mark.parametrize(("name", "options"), [
    ("linear", {}), ("attention", {"bias": True}), ("flash_attention", {}),
    ("mixture_of_experts", {}),
    ("pre_ln_block", {"dropout": True}), ("checkpointed_block", {"dropout": True}),
    ("cross_entropy", {}), ("state_space_dual", {}), ("lora_linear", {}),
    ("llama", {"recompute": True, "cached": True}),
])  # fmt: skip
def test_components(name, options):
    assert differing(trial(name, options), BYTES) == []


@pytest.mark.parametrize("steps", range(2, 8))
@pytest.mark.parametrize(("name", "size", "unit"), [
    ("decaying_average", "T", 1), ("matrix_memory", "T", 2),
])  # fmt: skip
def test_of_the_last_repetition_no_state_goes_on(name, size, unit, steps):
    """So less is done going back through it, and what all others add to has none of its own."""
    assert differing(trial(name, {}, {size: steps * unit}), BYTES) == []


def test_without_the_gradient_of_what_enters():
    assert differing(trial("lstm", {}, {"L": 3, "T": 5}, inputs=False), BYTES) == []


def forever(storages, step):
    for held in storages:
        held.last = END


def one_step(storages, step):
    for held in storages:
        held.last = held.last if step < END else END


def apart(tensors):
    return ([t] for unit in UNITS(tensors) for t in unit)


def one_fewer(t, call, app, few):
    found = list(APPLICATIONS(t, call, app, few))
    yield from (app for app in found if not app.alike)


UNITS, APPLICATIONS, BACKWARD = timeline.units, timeline.applications, Timeline._backward
MISTAKES = {
    "what is read no more stays": (timeline, "until", forever, "feed_forward", {}),
    "nothing outlives its step": (timeline, "until", one_step, "feed_forward", {}),
    "a view has storage of its own": (timeline, "root", lambda t: t, "attention", {}),
    "a fused body is many steps": (timeline, "units", apart, "softmax", {}),
    "what is given is not held to the end": (
        Timeline, "_last", lambda self, storages, leaf: None, "feed_forward", {}),
    "what is stacked lies apart": (timeline, "_placed", lambda t, stack: {}, "lstm", {}),
    "what is drawn again is kept": (
        timeline, "is_redrawn", lambda *given: False, "checkpointed_block", {"dropout": True}),
    "equal applications keep nothing": (timeline, "applications", one_fewer, "gpt2", {}),
    "a state of equal applications is kept by all": (
        Timeline, "_handed_on",
        lambda self, y, x, sub, app, body: self._of(y, sub, sub.stored, body), "gpt2", {}),
    "the last repetition is gone back through as all are": (
        timeline, "_pulled_back", lambda op, sub, every: op.body, "decaying_average", {}),
    "what the last of equal layers gives is kept by the next one alone": (
        Application, "hold_too", lambda self, beside: None, "lstm", {"dropout": True}),
    "gradients are added up at the end": (
        Timeline, "_backward",
        lambda self, pull, app, stored, totals: BACKWARD(self, pull, app, stored, {}), "lstm", {}),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_rule_is_found(monkeypatch, mistake):
    where, name, wrong, target, options = MISTAKES[mistake]
    about = trial(target, options, {"L": 6} | ({"T": 5} if target == "lstm" else {}))
    assert differing(about, BYTES) == []
    monkeypatch.setattr(where, name, wrong)
    assert found_wrong(about)


def found_wrong(about):
    try:
        return differing(about, BYTES) != []
    except AssertionError:  # the reading meets what cannot be
        return True
