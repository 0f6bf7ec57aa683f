"""One file of tracing knows what PyTorch does not promise."""

import ast
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import symledger  # noqa: E402
from symledger.tracing.runs import torch_version  # noqa: E402

ROOM = Path(symledger.__file__).parent / "tracing"
FILES = sorted(path for path in ROOM.glob("*.py") if path.name != "torch_version.py")
OWN = ("self", "cls")
"""What a file's own private names are asked of."""
ALLOWED = {"_getframe", "_attn_implementation", "_experts_implementation"}
"""Of ``sys``, documented as such; of transformers' configurations, which users set."""


def private_names(source):
    """Private names that are imported from PyTorch, asked of anything, or stand in a text."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("torch"):
                yield from (n for n in (*module.split("."), *(a.name for a in names))
                            if n.startswith("_"))  # fmt: skip
            case ast.Attribute(value=of, attr=name) if is_private(name):
                if not (isinstance(of, ast.Name) and of.id in OWN):
                    yield name
            case ast.Constant(value=str(text)) if text.startswith("aten._"):
                yield text


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_no_other_file_has_a_name_that_pytorch_does_not_promise(path):
    found = list(private_names(path.read_text("utf-8")))
    assert not set(found) - ALLOWED, f"move it to tracing/runs/torch_version.py: {found}"


@pytest.mark.parametrize("source", [
    "from torch.utils._python_dispatch import TorchDispatchMode", "torch._C._foo()",
    "from torch.utils.checkpoint import _allowed", "x.untyped_storage()._cdata",
    'name == "aten._local_scalar_dense"',
])  # fmt: skip
def test_such_names_are_found(source):
    assert list(private_names(source))


def test_the_version_here_is_one_that_it_was_proven_with():
    assert torch.__version__.partition("+")[0] in torch_version.PROVEN
