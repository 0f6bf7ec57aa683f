"""How few runs tell what a module does where arguments are equal, and how deep it has to be."""

from itertools import chain
from textwrap import dedent

import pytest

pytest.importorskip("torch", reason="needs PyTorch")

from symledger.tracing import trace as tracing  # after PyTorch is known to be there
from symledger.tracing.account import traced
from symledger.tracing.modules.asked import asked
from symledger.tracing.spaces.exploring import explored
from symledger.tracing.spaces.meeting import meetings

WIDTHS = """
    class Net(nn.Module):
        def __init__(self, a=3, b=5, c=7, e=11, f=13, g=17):
            super().__init__()
            self.first = nn.Sequential(nn.Linear(a, b), nn.Linear(b, c))
            self.rest = nn.Sequential(nn.Linear(c, e), nn.Linear(e, f), nn.Linear(f, g))
            self.short = nn.Linear(c, g) if c != g else nn.Identity()

        def forward(self, x):
            x = self.first(x)
            return self.rest(x) + self.short(x)
"""
PATTERN = """
    class Net(nn.Module):
        def __init__(self, d=6, layers=20):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(d, d, bias=i % 4 == 3) for i in range(layers))

        def forward(self, x):
            for layer in self.layers:
                x = torch.relu(layer(x))
            return x
"""
DENSE = """
    class Net(nn.Module):
        def __init__(self, d=6, growth=4, layers=5):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(d + i * growth, growth) for i in range(layers))

        def forward(self, x):
            for layer in self.layers:
                x = torch.cat([x, layer(x)], -1)
            return x
"""


@pytest.fixture
def written(tmp_path):
    """Write a file with a class."""

    def write(text):
        path = tmp_path / "net.py"
        path.write_text(f"import torch\nfrom torch import nn\n{dedent(text)}")
        return f"{path}:Net"

    return write


def test_arguments_meet_in_as_many_rounds_as_one_has_others(written):
    target = written(WIDTHS)
    rounds = meetings(explored(asked(target, {}, ("x: float32 (B, a)",)).subject))
    pairs = [{p.name, p.other} for p in chain(*rounds)]
    assert len(pairs) == len({frozenset(p) for p in pairs}) == 15
    assert len(rounds) <= 7
    assert all(len(set().union(*({p.name, p.other} for p in r))) == 2 * len(r) for r in rounds)


def test_where_one_pair_of_several_matters_that_pair_alone_is_kept_apart(written):
    made = traced(written(WIDTHS), {}, ("x: float32 (B, a)",))
    assert [str(c) for c in made.conditions] == ["c ≠ g"]


def test_lengths_are_fitted_where_the_pattern_of_layers_shows(written, monkeypatch):
    depths, sampled = [], tracing.sampled

    def noted(space, *rest):
        depths.append(space.base["layers"])
        return sampled(space, *rest)

    monkeypatch.setattr(tracing, "sampled", noted)
    made = traced(written(PATTERN), {}, ("x: float32 (B, d)",))
    assert depths == [8]
    assert [(n.period, str(n.times)) for n in made.graph.nodes if n.body] == [(4, "L/4")]


def test_layers_of_different_widths_are_as_many_as_were_asked_for(written):
    made = traced(written(DENSE), {}, ("x: float32 (B, d)",))
    fixed = {a.name: a.value for a in made.fixed}
    assert fixed == {"layers": "5, and other depths are not more or fewer equal layers"}
    assert all(c.passed for c in made.checks)
