from dataclasses import replace

import pytest

from symledger.checks.runner import BYTES, PRICES
from symledger.checks.saved_set import saved_set
from symledger.checks.trial import Trial
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.models.gpt2.model import GPT2
from symledger.readings.saved import kept, root, saved
from symledger.sizes import B, L, T, d, d_ff
from tests.checks.bench import RIGHT, Hoarder, PlainSoftmax, Recurrence, Sliced, Told, trials

SOME = [*RIGHT.values(), PlainSoftmax(), Recurrence(), FeedForward(activation="relu")]


def check(run, formula=None, k=None):
    formula = saved(run.pull, PRICES).total if formula is None else formula
    return saved_set(run, formula, BYTES, k)


@pytest.mark.parametrize("component", [*SOME, GPT2(dropout=True), GPT2(flash=True)])
def test_what_is_kept_is_enough_and_needed(component):
    for run in trials(component, 2, distinct=True):
        found = check(run)
        assert found.passed, found.detail
        assert found.worst == "0"


def test_what_applications_make_of_the_same_is_kept_by_each():
    run = trials(Told(), distinct=True)[0]
    each = B * d * PRICES["value"]  # c; what enters each application, and its silu(c)
    assert saved(run.pull, PRICES).total.equals(each + 2 * L * each)
    assert check(run).passed
    assert not check(run, each + L * each + each).passed


@pytest.mark.parametrize("component", SOME)
def test_wrong_bytes_are_found(component):
    run = trials(component)[0]
    found = check(run, saved(run.pull, PRICES).total + 1)
    assert not found.passed
    assert found.worst == "1"


@pytest.mark.parametrize("component", SOME)
def test_every_missing_root_is_found(component):
    run = trials(component)[0]
    k = kept(run.pull)
    for fewer in _without_one(k):
        found = check(run, k=fewer)
        assert not found.passed
        assert "was not kept" in found.detail


@pytest.mark.parametrize("component", [Recurrence(), RIGHT["mini_gpt"]])
@pytest.mark.parametrize("off", [{"enters": False, "leaves": False}, {"last": False}])
def test_a_carried_sequence_that_is_not_kept_is_found(component, off):
    run = trials(component)[0]
    k = kept(run.pull)
    for i, body in enumerate(k.bodies):
        (state,) = body.states
        if any(getattr(state, flag) for flag in off):
            fewer = replace(body, states=(replace(state, **off),))
            changed = (*k.bodies[:i], fewer, *k.bodies[i + 1 :])
            assert "was not kept" in check(run, k=replace(k, bodies=changed)).detail


@pytest.mark.parametrize("component", [RIGHT["layer_norm"], RIGHT["attention"], RIGHT["block"]])
def test_an_extra_root_is_found_even_if_its_bytes_are_stated(component):
    run = trials(component)[0]
    k = kept(run.pull)
    extra = next(
        t for t in reversed(run.program.tensors) if t.args and root(t) is t and t not in k.roots
    )
    more = replace(k, roots=(*k.roots, extra))
    formula = saved(run.pull, PRICES).total + extra.size * PRICES[extra.storage]
    found = check(run, formula, more)
    assert not found.passed
    assert "no gradient depends on it" in found.detail


def test_what_one_draw_hides_is_needed_in_another(monkeypatch):
    """Two numbers a token, and at this seed the rectifier leaves nothing of them: what is behind it
    is multiplied with zeros."""
    network = FeedForward(activation="relu")
    sizes = {B: 2, T: 2, d: 2, d_ff: 2}
    runs = [Trial(run.program, run.pull, sizes, seed) for seed in range(40)
            for run in trials(network)[:1]]  # fmt: skip
    with monkeypatch.context() as patched:
        patched.setattr("symledger.checks.saved_set.DRAWS", 0)
        hidden = [run for run in runs if not check(run).passed]
    assert hidden
    assert all(check(run).passed for run in hidden)


def test_a_mention_that_influences_nothing_is_found():
    found = check(trials(Hoarder())[0])
    assert not found.passed
    assert "no gradient depends on it" in found.detail


def test_what_is_cut_off_is_kept_though_zeros_reach_it():
    """So does PyTorch: no operation looks at the values of a gradient to know what it needs."""
    run = trials(Sliced())[0]
    held = 2 * T + T - 1  # x, both, and what is squared of the rest
    assert saved(run.pull, PRICES).total.equals(held * B * d * PRICES["value"])
    assert check(run).passed


def test_storage_classes_are_told_apart():
    run = trials(RIGHT["layer_norm"])[0]
    wrong = {**PRICES, "statistic": PRICES["value"]}
    assert not check(run, saved(run.pull, wrong).total).passed


def _without_one(k):
    for i in range(len(k.roots)):
        yield replace(k, roots=k.roots[:i] + k.roots[i + 1 :])
    for i, body in enumerate(k.bodies):
        for fewer in _without_one(body.each):
            changed = replace(body, each=fewer)
            yield replace(k, bodies=(*k.bodies[:i], changed, *k.bodies[i + 1 :]))
