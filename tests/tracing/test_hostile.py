"""Files that change what is not theirs: traced as if they had not, or one message says so."""

import sys
from textwrap import indent

import pytest

from symledger.errors import BadInput
from symledger.user_code import MODULE
from tests.invoke import run

pytest.importorskip("torch", reason="needs PyTorch")

import torch

from symledger.tracing import trace as tracing  # after PyTorch is known to be there
from symledger.tracing.account import account_of, traced

NET = """
class Net(nn.Module):
    def __init__(self, d=6, n=9):
        super().__init__()
        self.a, self.b = nn.Linear(d, n), nn.Linear(n, d)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))
"""
ENTERS = "x: float32 (B, T, d)"


@pytest.fixture
def written(tmp_path):
    """Write a file that does something before or after it defines a class."""

    def write(before="", after="", inside=""):
        path = tmp_path / "net.py"
        net = NET.replace("super().__init__()", f"super().__init__(); {inside}")
        path.write_text(f"import sys, torch\nfrom torch import nn\n{before}\n{net}{after}\n")
        return f"{path}:Net"

    return write


@pytest.mark.parametrize("line", [
    "torch.set_default_device('cuda')", "torch.set_default_dtype(torch.bfloat16)",
    "torch.set_grad_enabled(False)",
])  # fmt: skip
def test_what_is_set_for_all_of_pytorch_is_taken_back(written, line):
    target = written(line)
    made = traced(target, {}, (ENTERS,))
    assert all(c.passed for c in made.checks)
    assert account_of(made, target)["flops.training"].text == "12BTdn"
    assert torch.get_default_dtype() == torch.float32
    assert torch.get_default_device().type == "cpu"
    assert torch.is_grad_enabled()


def test_weights_that_a_module_does_not_tell_of_are_counted_all_the_same(written):
    hidden = indent("\ndef named_parameters(self, *a, **k): return iter(())", " " * 4)
    made = traced(written(after=hidden), {}, (ENTERS,))
    assert "params" in {c.quantity for c in made.checks if not c.passed}


@pytest.mark.parametrize("line", [
    "sys.modules[__name__] = None", "Net.config_class = type('C', (), {'from_dict': None})",
])  # fmt: skip
def test_what_has_nothing_to_do_with_the_class_does_not_matter(written, line):
    assert traced(written(after=line), {}, (ENTERS,)).sizes == {"B": 2, "T": 12, "d": 6, "n": 9}


@pytest.mark.parametrize(("forward", "said"), [
    ("forward = 3", "Net.forward is no function"),
    ("def forward(): return 3", "Net.forward takes no x"),
    ("def forward(self): return 3", "Net.forward takes no x"),
    ("async def forward(self, x): return x", "Net.forward is written as async def"),
    ("def __init__(self, d=6): pass\n    def forward(self, x): return x", "no attribute '_param"),
    ("__signature__ = 3\n    def forward(self, x): return x", "Net in .* raised TypeError"),
    ("__module__ = 3\n    def forward(self, x): return 3", "Net.forward returns no tensor"),
])  # fmt: skip
def test_what_is_no_module_is_one_message(tmp_path, forward, said):
    path = tmp_path / "net.py"
    path.write_text(f"from torch import nn\nclass Net(nn.Module):\n    {forward}\n")
    with pytest.raises(BadInput, match=said):
        traced(f"{path}:Net", {}, ("x: float32 (B, T)",))


@pytest.mark.parametrize("way", ["static", "class"])
def test_a_forward_may_be_a_static_or_a_class_method(tmp_path, way):
    itself = "" if way == "static" else "cls, "
    path = tmp_path / "net.py"
    path.write_text(
        "from torch import nn\nclass Net(nn.Module):\n    def __init__(self, d=6):\n"
        f"        super().__init__()\n    @{way}method\n    def forward({itself}x): return x * x\n"
    )
    assert traced(f"{path}:Net", {}, ("x: float32 (B, T)",)).sizes == {"B": 2, "T": 12}


@pytest.mark.parametrize("line", [
    "for _ in range(9999): y = [y]", "y = [y]; y.append(y)", "y = {'y': y}; y['me'] = y",
])  # fmt: skip
def test_what_is_returned_may_be_as_deep_as_it_likes_and_hold_itself(tmp_path, line):
    path = tmp_path / "net.py"
    path.write_text(
        "from torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n"
        f"        y = x * x\n        {line}\n        return y\n"
    )
    made = traced(f"{path}:Net", {}, ("x: float32 (B, T)",))
    assert made.checks[-1].passed  # PyTorch's own counter cannot flatten it, so others are not


def test_what_a_file_has_replaced_is_named_where_something_fails(written, monkeypatch):
    monkeypatch.setattr(tracing, "verified", tracing.verified)  # to have it back
    line = "import symledger.tracing.trace as t; t.verified = None"
    said = run("trace", written(line), "--input", ENTERS)
    assert said.code == 2
    assert "in place of symledger.tracing.trace.verified; what runs on it raised Type" in said.err


@pytest.mark.parametrize("line", [
    "sys.modules.clear()", "sys.modules = {}", "del sys.modules['torch'], sys.modules['sympy']",
    "sys.modules['symledger.traces.graph'] = None",
])  # fmt: skip
@pytest.mark.parametrize("place", ["the file", "the constructor"])
def test_modules_that_a_file_forgets_are_known_again(written, place, line):
    before = {n: m for n, m in sys.modules.items() if not n.startswith(MODULE)}
    target = written(line) if place == "the file" else written(inside=line)
    assert traced(target, {}, (ENTERS,)).checks[-1].passed
    assert {n: sys.modules.get(n) for n in before} == before


def test_what_fails_without_modules_says_so(written):
    said = run("trace", written(inside="sys.modules.clear(); import torch"), "--input", ENTERS)
    assert said.code == 2
    assert "takes modules such as sys out of sys.modules" in said.err


def test_a_page_of_which_all_is_withheld_is_a_page(written):
    backward = written().removesuffix(":Net")
    with open(backward, "a") as file:
        file.write("        y.backward()\n        return y\n")
    with open(backward) as file:
        text = file.read().replace("return x + self.b(torch.relu(self.a(x)))",
                                   "y = self.b(self.a(x)).sum()")  # fmt: skip
    with open(backward, "w") as file:
        file.write(text)
    said = run("trace", f"{backward}:Net", "--input", ENTERS)
    assert "a check failed, so these are not shown" in said.out
    assert "FLOPS" not in said.out
