"""What is alive, step by step: a run in NumPy and the reading agree, and mistakes are found."""

from dataclasses import replace

import pytest

from symledger.checks.alive import differing
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.readings.live import timeline
from symledger.readings.live.held import until
from symledger.readings.live.timeline import Timeline
from symledger.readings.pullback import pullback
from symledger.targets.resolve import resolve

BYTES = {"value": 2, "statistic": 4, "mask": 1, "index": 8}


def trial(name, options=None, sizes=None, inputs=True):
    target = resolve(name)
    program = target.with_options(options or {}).program()
    found = sizes_for(program, 0, distinct=False)
    given = {s: (sizes or {}).get(s.name, n) for s, n in found.items()}
    return Trial(program, pullback(program, inputs), given)


@pytest.mark.parametrize("depth", range(1, 7))
@pytest.mark.parametrize("name, options", [
    ("gpt2", {}), ("llama", {"recompute": True}), ("mixtral", {}), ("t5", {}),
    ("bert", {"dropout": True}), ("mamba", {}),
])  # fmt: skip
def test_every_step_is_what_a_run_has_alive_at_every_depth(name, options, depth):
    sizes = {"L": depth, "L_enc": depth, "L_dec": depth, "T": depth if name == "mamba" else 3}
    assert differing(trial(name, options, sizes), BYTES) == []


@pytest.mark.parametrize("steps", range(1, 7))
@pytest.mark.parametrize("layers", (1, 2, 4, 6))
@pytest.mark.parametrize("name", ("lstm", "gru"))
def test_repetitions_within_repetitions(name, layers, steps):
    assert differing(trial(name, {}, {"L": layers + 1, "T": steps}), BYTES) == []


@pytest.mark.parametrize("name, options", [
    ("linear", {}), ("attention", {"bias": True}), ("flash_attention", {}), ("moe_block", {}),
    ("pre_ln_block", {"dropout": True}), ("checkpointed_block", {"dropout": True}),
    ("cross_entropy", {}), ("dual_scan", {}), ("lora", {}),
])  # fmt: skip
def test_components(name, options):
    assert differing(trial(name, options), BYTES) == []


def test_without_the_gradient_of_what_enters():
    assert differing(trial("lstm", {}, {"L": 3, "T": 5}, inputs=False), BYTES) == []
