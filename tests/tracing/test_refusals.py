"""Modules that cannot be traced, and those of which something cannot: one message, by place."""

from textwrap import indent

import pytest

from symledger.errors import BadInput, SymledgerError

pytest.importorskip("torch", reason="needs PyTorch")

from symledger.tracing.account import account_of, traced
from symledger.tracing.public import trace
from symledger.tracing.runs import limit, recorder  # after PyTorch is known to be there

HEAD = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, d: int = 16, n_layers: int = 4):
        super().__init__()
        self.l = nn.Linear(d, d)
        self.n = n_layers

    def forward(self, x):
"""


@pytest.fixture
def written(tmp_path):
    """Write a module of which only what it computes is said; return how it is named."""

    def write(body):
        path = tmp_path / "net.py"
        path.write_text(HEAD + indent(body, " " * 8) + "\n")
        return f"{path}:Net"

    return write


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("if x.sum().item() > 0:\n    x = x + 1\nreturn self.l(x)", r"net\.py:12.*reads a number"),
        ("if x.shape[1] > 14:\n    x = x * 2\nreturn self.l(x)", "depends on a size"),
        ("return self.l(x) * len(x.tolist())", r"line 12: .*Nothing has elements here"),
        ("return self.l(x.cpu().numpy())", r"line 12: .*Nothing has elements here"),
        (
            "import ctypes\nctypes.memset(x.data_ptr(), 0, 4)\nreturn self.l(x)",
            r"line 13: an address was asked for.*Nothing has elements here",
        ),
        ("raise ValueError('no')", "ValueError at line 12: no"),
        ("return self.l(x[x > 0].view(-1, 1).expand(-1, x.shape[-1]))", "depends on data"),
        ("return torch.fft.fft(self.l(x)).real", "fft"),
    ],
)
def test_what_cannot_be_traced_is_refused_by_its_place(written, body, said):
    with pytest.raises(BadInput, match=said):
        traced(written(body), {})


def test_a_module_without_a_forward_is_refused(tmp_path):
    (tmp_path / "net.py").write_text("from torch import nn\n\nclass Net(nn.Module):\n    pass\n")
    with pytest.raises(BadInput, match="Net has no forward"):
        traced(f"{tmp_path / 'net.py'}:Net", {}, ("x: float32 (B, T)",))


def test_a_refusal_is_called_as_the_kind_that_everybody_knows(written):
    with pytest.raises(BadInput) as raised:
        traced(written("if x.shape[1] > 14:\n    x = x * 2\nreturn self.l(x)"), {})
    assert type(raised.value) is not BadInput
    assert raised.value.kind == "BadInput"


def test_more_operations_than_anybody_reads_are_refused(written, monkeypatch):
    monkeypatch.setattr(recorder, "MOST_NODES", 50)
    with pytest.raises(BadInput, match=r"more than 50 operations.*net\.py:13"):
        traced(written("for i in range(100):\n    x = x + 1\nreturn self.l(x)"), {})


def test_what_never_ends_is_stopped_whatever_it_catches(written, monkeypatch):
    monkeypatch.setattr(limit, "SECONDS", 0.5)
    endless = "while True:\n    try:\n        while True: pass\n    except Exception: pass"
    with pytest.raises(SymledgerError, match=r"has run for 0\.5 seconds"):
        traced(written(endless), {})


def test_a_file_that_never_ends_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(limit, "SECONDS", 0.5)
    (tmp_path / "net.py").write_text("while True: pass\n")
    with pytest.raises(SymledgerError, match=r"net\.py has run for 0\.5 seconds"):
        traced(f"{tmp_path / 'net.py'}:Net", {})


def test_a_weight_that_nothing_uses_is_counted(written):
    assert trace(written("return x + 1"), d=16).params.text == "d² + d"


def test_what_is_cut_of_what_enters_may_be_asked_for_its_gradient(written):
    """As encoders of sounds do, for blocks that are run again."""
    target = written("x = x[:, 1:]\nx.requires_grad = True\nreturn self.l(x)")
    made = traced(target, {})
    assert all(c.passed for c in made.checks)
    assert account_of(made, target)["flops.backward"].text == "4BTd² - 4Bd²"


def test_a_layer_that_is_called_again_and_again_has_one_set_of_weights(written):
    target = written("for i in range(self.n):\n    x = self.l(x)\nreturn x")
    found = traced(target, {})
    assert not found.fixed
    assert found.sizes == {"d": 16, "L": 4, "B": 2, "T": 12}
    account = account_of(found, target)
    assert account.params.text == "d² + d"
    assert account["flops.forward"].text == "2BLTd²"
