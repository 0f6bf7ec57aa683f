"""Adapted maps against modules written by hand with `torch.nn`: weights, FLOPs, kept, values."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch import nn  # noqa: E402  # only where there is PyTorch

from symledger import derive  # noqa: E402
from symledger.checks.torch.cases import CASES  # noqa: E402
from symledger.checks.torch.run import one_thread  # noqa: E402
from symledger.checks.torch.witness import _compared  # noqa: E402

RANK = 3


class Adapted(nn.Linear):
    """A linear map that is frozen, and its update of low rank."""

    def __init__(self, base):
        super().__init__(base.in_features, base.out_features, base.bias is not None)
        self.W_A = nn.Parameter(torch.empty(base.in_features, RANK))
        self.W_B = nn.Parameter(torch.empty(RANK, base.out_features))

    def forward(self, x):
        return super().forward(x) + x @ self.W_A @ self.W_B * 2


def adapted(module, names):
    for path, part in list(module.named_modules()):
        parts = path.split(".")
        inside = any(".".join(parts[: i + 1]).endswith(n) for i in range(len(parts)) for n in names)
        if type(part) is nn.Linear and inside:
            above, _, own = path.rpartition(".")
            setattr(module.get_submodule(above), own, Adapted(part))
    for name, p in module.named_parameters():
        p.requires_grad_(name.endswith(("W_A", "W_B")))
    return module


def case_of(name, names):
    case = CASES[name][0]

    def build(sizes, options):
        return adapted(case.build(sizes, options), names)

    def named(sizes, options):
        own = {n: (n,) for n, _ in build(sizes, options).named_parameters() if n[-4:-1] == ".W_"}
        return {**case.names(sizes, options), **own}

    frozen_norms = {"uses": lambda options: {}} if name == "llama" else {}
    return replace(case, build=build, names=named, **frozen_norms)  # for gains more would be kept


@pytest.mark.parametrize(("name", "lora"), [
    ("attention", "Q,V"), ("attention", "O"), ("feed_forward", "1,2"),
    ("pre_ln_block", "Q,V"), ("gpt2", "Q,V"), ("llama", "attention"),
    ("llama", "V,feed_forward.down"),
])  # fmt: skip
@pytest.mark.parametrize("asked", [True, False])
def test_it_is_what_pytorch_does(name, lora, asked):
    account = derive(name, lora=f"r={RANK}:{lora}", input_gradient=asked)
    names = lora.replace("feed_forward.down", "down").split(",")
    with one_thread():
        for found in _compared(account, case_of(name, names)):
            assert found.passed, (found.quantity, found.detail)
