"""The live set as evidence: of which passes it is, at which depths, and that mistakes are found."""

import pytest

from symledger import derive
from symledger.checks.live_set import DECODE, PREFILL, deepened, served, trained
from symledger.checks.runner import BYTES
from symledger.checks.sampling import sizes_for
from symledger.readings.live.held import Application
from symledger.readings.live.timeline import Timeline
from symledger.readings.pullback import pullback


def about(name, **options):
    account = derive(name, options)
    return account.program, account.readings.back


@pytest.mark.parametrize("name", ["linear", "gpt2", "lstm", "gemma2"])
def test_both_passes_are_witnessed_few_layers_deep_and_many(name):
    found = list(trained(*about(name), BYTES))
    assert [(e.quantity, e.kind, e.passed, e.worst) for e in found] == [
        (f"memory.peak.{way}", "live set", True, "0") for way in ("forward", "backward")
    ]
    for e in found:
        depths = [point["L"] for point in e.points if "L" in point]
        assert depths == sorted(depths)
        assert len(depths) == 2 or name == "linear"


@pytest.mark.parametrize("name", ["gpt2", "mistral", "mamba", "t5"])
def test_what_is_remembered_is_witnessed(name, monkeypatch):
    step = derive(name).target.decoding()
    each = [(*about(name), BYTES, PREFILL), (step, pullback(step), BYTES, DECODE)]
    assert all(e.passed for given in each for e in served(*given))
    execute = Timeline._execute

    def forgets(self, *given):
        self.remembering = False
        execute(self, *given)

    monkeypatch.setattr(Timeline, "_execute", forgets)
    assert not any(e.passed for e in served(*each[0]))


def test_a_mistake_that_shows_in_many_layers_alone_is_found(monkeypatch):
    monkeypatch.setattr(Application, "hold_too", lambda self, beside: None)
    assert [e.passed for e in trained(*about("lstm", dropout=True), BYTES)] == [True, False]


def test_what_is_not_derived_is_not_witnessed():
    assert list(trained(*about("albert"), BYTES)) == []


def test_sizes_that_cannot_be_deeper_stay():
    program = derive("linear").program
    sizes = sizes_for(program)
    assert deepened(program, sizes) == sizes
