"""Readings of a trace are PyTorch's numbers; what is wrong is withheld, and nothing else."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from sympy import Symbol  # noqa: E402  # after torch is known to be there
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812

from symledger.traces.checked import withheld  # noqa: E402
from symledger.tracing.checking.checks import (  # noqa: E402
    checked,
    checks,
    compared,
    together,
    verify,
)
from symledger.tracing.checking.comparing import compare_run  # noqa: E402
from symledger.tracing.checking.measured import measured  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.trace import trace  # noqa: E402


class Attending(nn.Module):
    def __init__(self, d=8, h=2, n=3, p=0.1):
        super().__init__()
        self.h = h
        self.layers = nn.ModuleList([nn.Linear(d, 3 * d) for _ in range(n)])
        self.drop = nn.Dropout(p)

    def forward(self, x):
        B, T, d = x.shape
        for layer in self.layers:
            q, k, v = layer(x).view(B, T, 3 * self.h, d // self.h).transpose(1, 2).chunk(3, 1)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.drop(y.transpose(1, 2).reshape(B, T, d))
        return x


class Unused(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.used, self.spare = nn.Linear(d, d), nn.Linear(d, 3)

    def forward(self, x):
        return self.used(x)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x + x

    @staticmethod
    def backward(ctx, g):
        return 3 * g


class Wrong(nn.Module):
    """Its backward pass is not that of what it computes."""

    def __init__(self, d=8):
        super().__init__()
        self.map = nn.Linear(d, d)

    def forward(self, x):
        return Doubled.apply(self.map(x))


def subject(kind, *inputs, **arguments):
    return Subject(kind.__name__, "tests", kind, arguments, lambda v: kind(**v),
                   tuple(map(parse_input, inputs)))  # fmt: skip


@pytest.fixture(scope="module")
def attending():
    given = subject(Attending, "x: float (B, T, d)", d=8, h=2, n=3, p=0.1)
    return given, checked(*trace(given))


def test_every_quantity_of_a_module_is_checked(attending):
    _, traced = attending
    assert [c.quantity for c in traced.checks] == [
        "params", "flops.forward", "flops.backward", "memory.saved", "values",
    ]  # fmt: skip
    assert [c for c in traced.checks if not c.passed] == []
    assert all(c.points >= 5 for c in traced.checks[:-1])
    assert withheld(traced.checks) == {}


class Rounded(nn.Module):
    def __init__(self, d, multiple):
        super().__init__()
        self.map = nn.Linear(d, multiple * -(-50 // multiple))

    def forward(self, x):
        return self.map(x)


def test_values_are_compared_where_lengths_are_those_that_are_foretold():
    """The smallest sizes would be beyond that: 50 is rounded up to a size from 50 on alone."""
    given = subject(Rounded, "x: float (B, d)", d=12, multiple=256)
    traced, space = trace(given)
    assert compare_run(given, traced, space)[1]["multiple"] >= 50
    assert [c for c in checks(traced, space) if not c.passed] == []


def test_a_further_point_is_checked(attending):
    given, traced = attending
    found = verify(traced, given, {"d": 20, "h": 5, "n": 9, "B": 1, "T": 33})
    assert [c.passed for c in found] == [True] * 4


def test_a_weight_that_nothing_uses_is_counted():
    traced = checked(*trace(subject(Unused, "x: float (B, d)", d=8)))
    assert all(c.passed for c in traced.checks), traced.checks


def test_a_backward_pass_of_its_own_withholds_what_depends_on_it():
    traced = checked(*trace(subject(Wrong, "x: float (B, d)", d=8)))
    failed = {c.quantity: c for c in traced.checks if not c.passed}
    assert "gradient of map.weight" in failed["values"].detail
    assert failed.keys().isdisjoint({"params", "flops.forward"})
    assert "flops.forward" not in withheld(traced.checks)


def test_a_wrong_formula_is_told_with_both_numbers(attending):
    given, _ = attending
    at = {"d": 8, "h": 2, "n": 3, "B": 2, "T": 5}
    said = measured(given, {"d": 8, "h": 2, "n": 3, "p": 0.1}, at)
    d = Symbol("d")
    found = compared("params", 9 * d**2, [said.params], [{d: 8}], [said])
    assert not found.passed
    assert found.detail.startswith(f"the formula gives 576, PyTorch {said.params} at d = 8")


def test_what_failed_once_has_failed(attending):
    _, traced = attending
    first = traced.checks[0]
    bad = replace(first, points=1, passed=False, detail="there")
    assert together([first], [replace(first, points=1)]) == (replace(first, points=6),)
    assert together([bad], [first]) == (bad,)
    assert together([first], [bad])[0].passed is False


class Paired(nn.Module):
    def __init__(self, d=4, e=3, bias=True):
        super().__init__()
        self.pair = nn.Bilinear(d, e, d, bias)

    def forward(self, x, z):
        return self.pair(x, z.sigmoid())


class Likelihood(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.map = nn.Linear(d, d)

    def forward(self, x, y):
        return nn.functional.kl_div(self.map(x).log_softmax(-1), y, reduction="batchmean")


@pytest.mark.parametrize("given", [
    subject(Paired, "x: float (B, T, d)", "z: float (B, T, e)", d=4, e=3),
    subject(Likelihood, "x: float (B, d)", "y: float (B, d)", d=4),
], ids=["a product of three tensors", "a target of probabilities"])
def test_what_pytorch_does_not_count_or_takes_for_chances_is_checked(given):
    assert [c for c in checked(*trace(given)).checks if not c.passed] == []


class Raising(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x + x

    @staticmethod
    def backward(ctx, g):
        raise RuntimeError("no way back\nat all")


class OneWay(Wrong):
    def forward(self, x):
        return Raising.apply(self.map(x))


def test_a_check_that_cannot_be_made_has_failed_with_the_reason():
    traced = checked(*trace(subject(OneWay, "x: float (B, d)", d=8)))
    assert {c.passed for c in traced.checks} == {False}
    assert {c.detail for c in traced.checks} == {"it could not be made: no way back"}
