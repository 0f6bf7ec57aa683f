"""What an optimizer's step has in memory: as measured, and as torch.optim runs it, to the byte."""

import json
import weakref
from pathlib import Path

import pytest

from symledger.ledger.updates import UPDATES

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402  # only where there is one

from tests.checks.torch.test_optimizer_states import (  # noqa: E402
    MAKES,
    TORCH,
    account,
    halves,
    module_of,
    optim,
)

MEASURED = json.loads(
    (Path(__file__).parents[1] / "ground_truth" / "peak_step.json").read_text("utf-8")
)
SIZES = {"d": 24, "h": 2, "L": 2, "V": 50, "T_max": 16}


@pytest.mark.parametrize("record", MEASURED["records"],
                         ids=lambda r: f"{r['optimizer']} d={r['config']['d']}")  # fmt: skip
def test_a_record_comes_out_to_the_byte(record):
    config, (_, way) = record["config"], record["optimizer"].split()
    for first, measured in zip((True, False), record["peak_step"], strict=True):
        found = account("GPT").under(optimizer="adamw", step=way, first=first, counters=True)
        peak = found.subs({**config, "T_max": config["T"]})["memory.peak.step"]
        assert peak.value == measured - record["targets_bytes"]


class Live(TorchDispatchMode):
    """The bytes of the storages that operations made and that still are."""

    def __init__(self):
        super().__init__()
        self.sizes, self.now, self.most = {}, 0, 0

    def add(self, t):
        storage = t.untyped_storage()
        key, n = storage._cdata, storage.nbytes()
        if key not in self.sizes:
            self.sizes[key] = weakref.ref(storage, lambda _: self.drop(key, n)), n
            self.now += n

    def drop(self, key, n):
        self.sizes.pop(key)
        self.now -= n

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        for t in torch.utils._pytree.tree_leaves(out):
            if isinstance(t, torch.Tensor):
                self.add(t)
        self.most = max(self.most, self.now)
        return out


ON_CPU = ("asgd", "adafactor", "muon")
"""Whose loops ask for the values of tensors, which there are none of on the meta device."""


def made_by(optimizer, module, way):
    """The optimizers of a module: one, or two where one is for matrices alone."""
    more = {"foreach": way == "foreach"} if way != "fused" else {"fused": True}
    if optimizer == "muon":
        hidden, rest = halves(module)
        return [optim.Muon(hidden), optim.AdamW(rest, **more)]
    return [MAKES[optimizer](module.parameters(), **more)]


def stepped(optimizer, dtype, way, steps, model="GPT", **sizes):
    """What a step has in memory, of several the last; all but what enters the network."""
    device = "cpu" if way == "fused" or optimizer in ON_CPU else "meta"
    module = module_of(model, dtype, **(sizes or SIZES)).to(device)
    every = made_by(optimizer, module, way)
    live = Live()
    with live:
        for p in module.parameters():
            live.add(p)
        for t in (t for made in every for state in made.state.values() for t in state.values()):
            live.add(t)
        for _ in range(steps):
            for p in module.parameters():
                p.grad = torch.full_like(p, 0.01)
            live.most = 0
            for made in every:
                made.step()
            module.zero_grad()
    return live.most


@pytest.mark.parametrize("dtype", TORCH)
@pytest.mark.parametrize(("optimizer", "way"), [
    (name, way) for name, update in UPDATES.items() for way in ("foreach", "single", "fused")
    if way != "fused" or update.fused
])  # fmt: skip
def test_first_and_later_steps_are_those_of_torch_optim(optimizer, way, dtype):
    for first, steps in ((True, 1), (False, 7)):
        found = account("GPT").under(
            optimizer=optimizer, dtype=dtype, step=way, first=first, counters=True
        )
        peak = found.subs({**SIZES, "B": 1, "T": 3})["memory.peak.step"]
        assert peak.value - 8 * 3 == stepped(optimizer, dtype, way, steps)
