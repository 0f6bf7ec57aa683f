"""``symledger trace``: what it prints and saves, and how it refuses."""

import json

import pytest

pytest.importorskip("torch", reason="needs PyTorch")

from symledger.errors import SymledgerError
from tests import documents, invoke

MODELS = documents.ROOT / "examples" / "pytorch"
GPT = f"{MODELS / 'gpt.py'}:GPT"
IDS = ("--input", "idx: int64 (B, T)")
SMALL = ("--set", "n_layer=3", "--set", "n_embd=48", "--set", "n_head=4", "--set", "vocab_size=50",
         "--set", "block_size=32")  # fmt: skip


def test_a_traced_module_is_shown_saved_and_asked_again(tmp_path):
    saved = str(tmp_path / "small.trace.json")
    found = invoke.run("trace", GPT, *IDS, *SMALL, "--set", "T=20", "--save", saved)
    assert (found.code, found.err.splitlines()[-1]) == (0, f"saved: {saved}")
    assert "12Ld² + 13Ld + T_max·d + Vd + 2d" in found.out
    assert "h × L" in found.out
    assert "T = 20" in found.out
    again = invoke.run("derive", saved)
    assert (again.code, again.out) == (0, found.out)
    assert [p.name for p in tmp_path.iterdir()] == ["small.trace.json"]


def test_a_saved_trace_is_verified_at_further_sizes(tmp_path):
    saved, more = str(tmp_path / "a.trace.json"), str(tmp_path / "b.trace.json")
    assert invoke.run("trace", GPT, *IDS, *SMALL, "--save", saved).code == 0
    sizes = ("--set", "L=20", "--set", "n_embd=64")
    found = invoke.run("trace", "--verify", saved, *sizes, "--save", more)
    assert found.code == 0
    beyond = json.loads(invoke.run("derive", saved, *sizes, "--json").out)
    assert beyond["extrapolated"] is True
    assert json.loads(invoke.run("derive", more, *sizes, "--json").out)["extrapolated"] is False


def test_python_gives_the_same_account():
    import symledger

    sizes = {"n_layer": 3, "n_embd": 48, "n_head": 4, "vocab_size": 50, "block_size": 32}
    account = symledger.trace(GPT, inputs="idx: int64 (B, T)", **sizes)
    assert account.params.text == "12Ld² + 13Ld + T_max·d + Vd + 2d"
    assert account.subs(L=4).params.value == account.subs(n_layer=4).params.value
    with pytest.raises(SymledgerError, match="no class of modules"):
        symledger.trace(3)


@pytest.mark.parametrize(("arguments", "code", "said"), [
    ((), 2, "name what is to be traced"),
    ((GPT, "--verify", "x.trace.json"), 2, "name what is to be traced"),
    ((f"{MODELS / 'gpt.py'}:GTP",), 3, "Did you mean GPT"),
    ((f"{MODELS / 'gpt.py'}:torch",), 2, "is not a torch.nn.Module"),
    ((str(MODELS / "gpt.py"),), 2, "does not say which class"),
    ((str(MODELS / "none.py:GPT"),), 2, "no such file"),
    (("no.such.module:GPT",), 3, "there is no module"),
    ((f"{MODELS / 'gpt.py'}:Block", "--input", "x: float32 (B, T, n_embd)"), 2,
     "add --set n_embd=… --set n_head=…"),
    ((GPT, "--input", "ids: int64 (B, T)"), 2, "takes no ids. Did you mean idx"),
    ((GPT, "--input", "idx int64"), 2, "is not understood: write a name"),
    ((GPT, "--input", "idx: int65 (B, T)"), 2, "is not understood: write a name"),
    ((GPT, *IDS, "--set", "n_layr=3"), 2, "Did you mean n_layer"),
    ((GPT, *IDS, "--set", "T=0"), 2, "sizes are 1 to"),
    ((GPT, *IDS, "--symbol", "n_embd=d", "--symbol", "n_head=d"), 2, "the same symbol d"),
    ((GPT, *IDS, "--symbol", "n_embd=d", "--symbol", "n_embd=e_1"), 2, "two symbols"),
    ((GPT, *IDS, "--symbol", "n_embd=B"), 2, "B is a length of what enters"),
    ((GPT, *IDS, "--symbol", "n_emb=d"), 2, "Did you mean n_embd"),
    ((GPT, *IDS, "--symbol", "n_embd"), 2, "write an argument and a symbol"),
    ((GPT, *IDS, "--save", "/nowhere/x.trace.json"), 2, "there is no folder /nowhere"),
    ((GPT, *IDS, "--save", "x.txt"), 2, "a trace is a file as in model.trace.json"),
    (("--verify", "/nowhere/x.trace.json"), 2, "No such file"),
    (("transformers:GPT2Model", "--set", "n_layer=x"), 2, "'n_layer': TypeError: .*Build it in"),
], ids=str)  # fmt: skip
def test_what_cannot_be_traced_is_refused(arguments, code, said, capsys):
    invoke.assert_refuses("trace", *arguments, code=code, said=said)


@pytest.mark.parametrize(("body", "said"), [
    ("raise ValueError('no')", "raised ValueError at line 1: no"),
    ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
    ("import torch\nclass N(torch.nn.Module):\n    def forward(self, x):\n        return x.nope",
     "raised AttributeError at line 4"),
    ("import torch\nclass N(torch.nn.Module):\n    def __init__(self, n=4):\n        1 / 0\n"
     "    def forward(self, x):\n        return x",
     "raised ZeroDivisionError at line 4"),
], ids=["file", "interrupt", "forward", "constructor"])  # fmt: skip
def test_a_file_that_raises_is_named_with_its_line(body, said, tmp_path):
    file = tmp_path / "net.py"
    file.write_text(body)
    invoke.assert_refuses("trace", f"{file}:N", "--input", "x: float32 (B, 4)", said=said)


@pytest.mark.parametrize(("lacking", "module"), [
    ("torch", GPT), ("transformers", "transformers:GPT2Model"),
])  # fmt: skip
def test_without_pytorch_the_command_that_installs_it_is_named(lacking, module, monkeypatch):
    import importlib.util

    found = importlib.util.find_spec
    for reader in ("symledger.extras", "symledger.tracing.modules.classes"):
        monkeypatch.setattr(
            f"{reader}.find_spec", lambda name: None if name == lacking else found(name)
        )
    invoke.assert_refuses("trace", module, *IDS, said=r"pip install 'symledger\[torch\]'")
