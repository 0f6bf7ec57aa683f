"""A traced module gives PyTorch's outputs and gradients in NumPy, and a wrong one does not."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch import nn  # noqa: E402  # after it is known to be there

from symledger.errors import BadInput  # noqa: E402
from symledger.traces.lowering import load_rules  # noqa: E402
from symledger.traces.rules.table import RULES  # noqa: E402
from symledger.tracing.checking.comparing import compare_module  # noqa: E402
from symledger.tracing.checking.numeric import Comparison, largest  # noqa: E402

load_rules()
FLOATS = torch.randn(2, 5, 4)


def layers():
    return nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.3)) for _ in range(3)])


MODULES = [
    (nn.Linear(4, 3), FLOATS),
    (nn.Sequential(nn.Embedding(7, 4), nn.LayerNorm(4)), torch.tensor([[0, 6, 3], [1, 1, 5]])),
    (nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Dropout(0.3), nn.Softmax(-1)), FLOATS),
    (layers(), FLOATS),
    (nn.Sequential(layers(), layers()), FLOATS),
]


@pytest.mark.parametrize(("module", "x"), MODULES, ids=[str(i) for i in range(len(MODULES))])
def test_outputs_and_gradients_are_those_of_pytorch(module, x):
    found = compare_module(module, x)
    assert not found.wrong, str(found)
    assert len(found.apart) >= 1 + len(list(module.parameters()))


def test_the_first_operation_that_differs_is_named(monkeypatch):
    linear = RULES["linear"]
    monkeypatch.setitem(RULES, "linear", lambda at, input, weight, bias: linear(  # noqa: A006
        at, input=input, weight=weight, bias=None))  # fmt: skip
    found = compare_module(nn.Sequential(nn.GELU(), nn.Linear(4, 3)), FLOATS)
    assert "output 1" in found.wrong
    assert found.first.startswith("linear in 1 (")


@pytest.mark.parametrize(("off", "wrong"), [(0.0, []), (1e-8, ["gradient of 0.bias"])])
def test_a_gradient_of_zero_may_be_off_by_roundings_of_its_sum_alone(monkeypatch, off, wrong):
    """Before a norm all that comes back to a bias cancels: 40 000 terms, or a wrong one."""
    gradients = Comparison.gradients.func

    def shifted(comparison):
        found = gradients(comparison)
        found["0.bias"] = found["0.bias"] + off * max(map(largest, found.values()))
        return found

    monkeypatch.setattr(Comparison, "gradients", property(shifted))
    module = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
    assert compare_module(module, torch.randn(40_000, 4)).wrong == wrong


@pytest.mark.parametrize(("off", "wrong"), [(0.0, []), (1e-9, ["output 2"])])
def test_a_sum_that_cancels_may_be_off_by_its_roundings_alone(monkeypatch, off, wrong):
    """What a norm without weights gives has the mean 0."""
    mean = RULES["aten.mean"]
    monkeypatch.setitem(RULES, "aten.mean", lambda at, **given: mean(at, **given) + off)
    assert compare_module(Centred(), torch.randn(50, 4)).wrong == wrong


class Centred(nn.Module):
    def forward(self, x):
        y = nn.functional.layer_norm(x, (4,))
        return y, y.mean()


def test_what_is_not_understood_is_refused_by_name():
    with pytest.raises(BadInput, match=r"aten\.\w+ in the module's own forward"):
        compare_module(Determinant(), torch.randn(3, 3))


class Determinant(nn.Module):
    def forward(self, x):
        return torch.linalg.det(x)
