"""What a module changes besides what it returns, and what of it cannot be read, is said."""

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from symledger.traces.reading import loaded  # noqa: E402
from symledger.traces.writing import dumped  # noqa: E402
from symledger.tracing.account import account_of  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.trace import noted, trace  # noqa: E402


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Part(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm, self.map = nn.BatchNorm1d(c), nn.Linear(c, c)

    def forward(self, x):
        return Own.apply(self.map(self.norm(x)))


class Net(nn.Module):
    def __init__(self, c: int = 6, depth: int = 3):
        super().__init__()
        self.parts = nn.ModuleList(Part(c) for _ in range(depth))
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        for part in self.parts:
            x = part(x)
        return x


@pytest.fixture(scope="module", params=[True, False], ids=["training", "evaluating"])
def traced(request):
    given = {"c": 6, "depth": 3}
    subject = Subject("Net", "tests", Net, given, lambda v: Net(**v).train(request.param),
                      (parse_input("x: float (B, c)"),), training=request.param)  # fmt: skip
    return trace(subject)[0]


def test_buffers_that_are_written_are_said_with_what_writes_them(traced):
    found = {a.name: a.value for a in traced.effects}
    assert found.pop("calls") == "aten.add"
    assert found == ({
        "parts.*.norm.num_batches_tracked": "aten.add",
        "parts.*.norm.running_mean": "aten.native_batch_norm",
        "parts.*.norm.running_var": "aten.native_batch_norm",
    } if traced.training else {})  # fmt: skip


def test_functions_with_a_backward_of_their_own_are_said(traced):
    assert [(a.name, a.value) for a in traced.custom] == [("parts.*", "Own")]


def test_both_are_in_the_file_and_in_the_json(traced):
    assert loaded(dumped(traced).encode(), "here") == traced
    said = account_of(traced, "here").target.read_from()["trace"]
    assert ["calls", "aten.add"] in said["effects"]
    assert said["custom"] == [["parts.*", "Own"]]


@pytest.mark.parametrize(("name", "said"), [
    ("a.0.b.11.c", "a.*.b.*.c"), ("conv1d.bn2", "conv1d.bn2"), ("0.mean", "*.mean"), ("3", "*"),
    ("", "forward"),
])  # fmt: skip
def test_numbers_of_layers_are_left_out(name, said):
    assert [a.name for a in noted([(name, "x"), (name, "x")])] == [said]
