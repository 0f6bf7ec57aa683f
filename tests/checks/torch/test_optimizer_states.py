"""States of optimizers: as measured, and as `optimizer.state` has them, to the byte."""

import json
from functools import cache, partial
from pathlib import Path

import pytest

from symledger.ledger.optimizers import OPTIMIZERS

torch = pytest.importorskip("torch", reason="needs PyTorch")

import symledger  # noqa: E402  # only where there is PyTorch

MODELS = Path(__file__).parent / "small_gpt.py"
MEASURED = json.loads(
    (Path(__file__).parents[1] / "ground_truth" / "optimizer_states.json").read_text("utf-8")
)
NAMES = {
    "SGD": "sgd", "SGD momentum": "momentum", "Adam": "adam", "AdamW": "adamw",
    "AdamW fused": "adamw", "AdamW amsgrad": "amsgrad", "RMSprop": "rmsprop",
    "RMSprop momentum centered": "rmsprop-centered-momentum", "Adagrad": "adagrad",
    "Adadelta": "adadelta", "NAdam": "nadam", "RAdam": "radam", "Adamax": "adamax",
    "ASGD": "asgd", "Rprop": "rprop", "torch Adafactor": "adafactor",
    "HF Adafactor beta1=None": "adafactor-fp32",
    "HF Adafactor beta1=0.9": "adafactor-fp32-momentum", "torch Muon (2-D only)": "momentum",
}  # fmt: skip
"""What keeps as much: Muon of all matrices, tables too, and of nothing else, has a velocity."""
NORMS = ("*.n1.*", "*.n2.*", "nf.*")
TORCH = {"fp32": torch.float32, "bf16": torch.bfloat16}
DTYPES = {"torch.float32": "fp32", "torch.bfloat16": "bf16"}
optim = torch.optim
MAKES = {
    "sgd": optim.SGD, "momentum": partial(optim.SGD, momentum=0.9), "adam": optim.Adam,
    "adamw": optim.AdamW, "amsgrad": partial(optim.AdamW, amsgrad=True), "nadam": optim.NAdam,
    "radam": optim.RAdam, "adamax": optim.Adamax, "adagrad": optim.Adagrad,
    "adadelta": optim.Adadelta, "rmsprop": optim.RMSprop,
    "rmsprop-momentum": partial(optim.RMSprop, momentum=0.9),
    "rmsprop-centered": partial(optim.RMSprop, centered=True),
    "rmsprop-centered-momentum": partial(optim.RMSprop, centered=True, momentum=0.9),
    "rprop": optim.Rprop, "asgd": optim.ASGD, "adafactor": optim.Adafactor,
}  # fmt: skip


@cache
def account(name):
    inputs = {"GPT": "idx: int64 (B, T)", "Images": "x: float32 (B, 3, H, W)"}[name]
    return symledger.trace(f"{MODELS}:{name}", inputs=inputs)


def states(name, optimizer, dtype, frozen=(), **sizes):
    found = account(name).under(optimizer=optimizer, dtype=dtype, counters=True, frozen=frozen)
    return found.subs(sizes)["memory.optimizer"].value


@pytest.mark.parametrize("record", MEASURED["records"])
def test_a_record_comes_out_to_the_byte(record):
    name, dtype = record.split(", ")
    frozen = NORMS if "2-D only" in name else ()
    found = states("GPT", NAMES[name], DTYPES[dtype], frozen)
    assert found == MEASURED["records"][record]["bytes"]


def bytes_of(optimizers):
    held = [t for o in optimizers for state in o.state.values() for t in state.values()
            if isinstance(t, torch.Tensor)]  # fmt: skip
    return sum(t.numel() * t.element_size() for t in held)


def stepped(module, make):
    for p in module.parameters():
        p.grad = torch.full_like(p, 0.01)
    optimizers = make(module)
    for o in optimizers:
        o.step()
    return bytes_of(optimizers)


def module_of(name, dtype, **sizes):
    from tests.checks.torch import small_gpt

    return getattr(small_gpt, name)(**sizes).to(TORCH[dtype])


@pytest.mark.parametrize("name", MAKES)
@pytest.mark.parametrize(("model", "sizes"), [
    ("GPT", {"d": 24, "h": 3, "L": 2, "V": 50, "T_max": 7}), ("Images", {"c": 8, "y": 3}),
])  # fmt: skip
def test_states_are_those_after_a_step(name, model, sizes):
    dtype = "bf16" if name in ("adam", "adafactor", "asgd") else "fp32"
    module = module_of(model, dtype, **sizes)
    found = stepped(module, lambda m: [MAKES[name](list(m.parameters()), lr=1e-3)])
    assert states(model, name, dtype, **sizes) == found


def halves(module):
    """The matrices of a module that no rows are picked from, and the rest."""
    tables = {m.weight for m in module.modules() if isinstance(m, torch.nn.Embedding)}
    hidden = [p for p in module.parameters() if p.ndim == 2 and p not in tables]
    return hidden, [p for p in module.parameters() if p.ndim != 2 or p in tables]


def test_muon_has_the_matrices_and_adamw_the_rest():
    sizes = {"d": 24, "h": 3, "L": 2, "V": 50, "T_max": 7}
    module = module_of("GPT", "fp32", **sizes)

    def make(m):
        hidden, rest = halves(m)
        return [optim.Muon(hidden), optim.AdamW(rest)]

    assert states("GPT", "muon", "fp32", **sizes) == stepped(module, make)


def test_every_row_of_pytorch_is_looked_at():
    rows = {name for name, row in OPTIMIZERS.items() if row.source.startswith("torch.optim")}
    assert rows == {*MAKES, "muon"}
