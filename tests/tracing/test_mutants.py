"""Deliberate mistakes in rules: each is found by the check that is meant to find it."""

import math

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from sympy import Integer  # noqa: E402  # after torch is known to be there
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812

from symledger.notation.leaves import noise  # noqa: E402
from symledger.notation.verbs import apply, einsum, narrow, total  # noqa: E402
from symledger.traces.lowering import load_rules  # noqa: E402
from symledger.traces.rules.table import RULES  # noqa: E402
from symledger.tracing.checking.checks import checks  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.trace import trace  # noqa: E402
from tests.every import COSTLY  # noqa: E402

load_rules()


class Victim(nn.Module):
    def __init__(self, V=11, d=6, f=9, n=2):
        super().__init__()
        self.table, self.norm = nn.Embedding(V, d), nn.LayerNorm(d)
        self.layers = nn.ModuleList([nn.Linear(d, d) for _ in range(n)])
        self.up, self.down, self.drop = nn.Linear(d, f), nn.Linear(f, d), nn.Dropout(0.2)

    def forward(self, ids):
        x = self.table(ids)
        y = self.norm(x)
        for layer in self.layers:
            y = y + layer(y)
        scores = y @ y.transpose(1, 2) / math.sqrt(y.shape[-1])
        z = self.down(self.drop(F.gelu(self.up(F.softmax(scores, -1) @ y))))
        heads = y.unsqueeze(1)
        mixed = F.scaled_dot_product_attention(heads, heads, heads, is_causal=True)[:, 0]
        both = torch.cat([torch.sigmoid(z), mixed], 1)
        return both[:, :-1] * x.mean(1, keepdim=True)


def changed(**others):
    """The same rule, with other arguments."""
    return lambda rule: lambda at, **a: rule(at, **{**a, **others})


def transposed(rule):
    def wrong(at, input, weight, bias):  # noqa: A002  # PyTorch's name
        square = weight.shape[0] == weight.shape[1]
        if not square:
            return rule(at, input, weight, bias)
        return einsum("... i, i o -> ... o", input, weight) + bias

    return wrong


def twice(rule):
    def wrong(at, input, weight, bias):  # noqa: A002  # PyTorch's name
        y = rule(at, input, weight, bias)
        return (y + rule(at, input, weight, bias)) / 2

    return wrong


def shifted(rule):
    def wrong(at, self, dim, start, end, step):
        made = rule(at, self, dim, start, end, step)
        return made if made is self else narrow(self, int(dim), Integer(1), made.shape[int(dim)])

    return wrong


def in_parts(rule):
    return lambda at, self: 1 / (1 + apply("exp", -self))


def summed(rule):
    return lambda at, self, dim=None, **others: total(self, (int(dim[0]),))


def unscaled(rule):
    return lambda at, input, p, **others: input * noise("mask", 1 - p, *input.shape)  # noqa: A006


def squared(rule):
    return lambda at, self, other: self * self


def passed(rule):
    return lambda at, self, *args, **others: self


MISTAKES = {
    "a bias is dropped": ("linear", changed(bias=None), "values"),
    "a weight is transposed": ("linear", transposed, "values"),
    "a product is made twice": ("linear", twice, "flops.forward"),
    "a weight is not counted": ("linear", changed(bias=None), "params"),
    "the other axis": ("aten._softmax", changed(dim=1), "values"),
    "a scale is missing": ("aten.div", passed, "values"),
    "a sum for a mean": ("aten.mean", summed, "values"),
    "a slice begins one later": ("aten.slice", shifted, "values"),
    "more is kept than a result": ("aten.sigmoid", in_parts, "memory.saved"),
    "a mask without its scale": ("dropout", unscaled, "values"),
    "dropout does nothing": ("dropout", changed(training=False), "memory.saved"),
    "tanh for the error function": ("aten.gelu", changed(approximate="tanh"), "values"),
    "no positions are hidden": ("attention", changed(is_causal=False), "values"),
    "nothing is added to a variance": ("aten.native_layer_norm", changed(eps=0.0), "values"),
    "nothing is joined in order": ("aten.cat", lambda rule: lambda at, tensors, dim=0: rule(
        at, tensors[::-1], dim), "values"),
    "another factor": ("aten.mul", squared, "values"),
}  # fmt: skip


@pytest.fixture(scope="module")
def victim():
    arguments = {"V": 11, "d": 6, "f": 9, "n": 2}
    subject = Subject("Victim", "tests", Victim, arguments, lambda v: Victim(**v),
                      (parse_input("ids: int64 (B, T)"),))  # fmt: skip
    return trace(subject)


def failed(victim):
    return {c.quantity: c for c in checks(*victim) if not c.passed}


def test_without_a_mistake_nothing_is_found(victim):
    assert failed(victim) == {}


@COSTLY(3)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(victim, monkeypatch, mistake):
    operation, wrong, found_by = MISTAKES[mistake]
    monkeypatch.setitem(RULES, operation, wrong(RULES[operation]))
    found = failed(victim)
    assert found_by in found, found
    assert found[found_by].detail
