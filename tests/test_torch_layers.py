"""PyTorch as witness: its signatures are those of the rows, and its layers have the parameters."""

import contextlib
import inspect
import io

import pytest
from test_constructors import COUNTED

from symledger import derive
from symledger.constructors import read
from symledger.report.answer import snippet
from symledger.torch_layers import LAYERS, NAMES, REQUIRED

torch = pytest.importorskip("torch", reason="needs PyTorch")

WRITTEN = [str(c) for n in LAYERS for c in (read(n.example), *read(n.example).toggled())]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_the_signature_is_that_of_pytorch(layer):
    stated = inspect.signature(getattr(torch.nn, layer.name)).parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in stated):
        return  # PyTorch does not say
    said = {p.name: REQUIRED if p.default is p.empty else p.default for p in stated}
    said = {name: getattr(default, "__name__", default) for name, default in said.items()}
    assert list(said.items()) == list(layer.arguments.items())


def test_every_layer_of_pytorch_has_a_row_or_is_refused_by_name():
    found = {n: c for n, c in vars(torch.nn).items() if isinstance(c, type)}
    layers = {n for n, c in found.items() if issubclass(c, torch.nn.Module)}
    assert sorted(NAMES) == sorted(layers)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_a_layer_of_pytorch(name):
    assert issubclass(getattr(torch.nn, name), torch.nn.Module)


@pytest.mark.parametrize("written", [*COUNTED, *WRITTEN])
@pytest.mark.filterwarnings("ignore")  # what PyTorch says about its fast paths
def test_the_lines_that_verify_it_print_the_number(written):
    account = derive(written)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("\n".join(snippet(account)), {})  # noqa: S102  # our own text
    assert int(printed.getvalue()) == account.params.value
    assert f"# {account.params.value}" in list(snippet(account))[-1]
