"""Blocks under ``torch.utils.checkpoint``: run again as PyTorch does, and kept by what enters."""

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from symledger.traces.reading import loaded  # noqa: E402
from symledger.traces.writing import dumped  # noqa: E402
from symledger.tracing.checking.checks import checked  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.runs.record import record  # noqa: E402
from symledger.tracing.trace import trace  # noqa: E402
from tests.every import COSTLY  # noqa: E402


class Layer(nn.Module):
    """A layer of two maps; with dropout after the last, that one is needed again too."""

    def __init__(self, d, p):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        return x + self.drop(self.down(torch.relu(self.up(self.norm(x)))))


class Stack(nn.Module):
    """Layers of which some are run again."""

    def __init__(self, d: int = 6, depth: int = 3, p: float = 0.0, every: int = 1, how: str = ""):
        super().__init__()
        self.layers = nn.ModuleList(Layer(d, p) for _ in range(depth))
        self.head = nn.Linear(d, 2 * d)
        self.every, self.how = every, how

    def forward(self, x):
        if self.how == "whole":
            return self.head(checkpoint(self.through, x, use_reentrant=True))
        for i, layer in enumerate(self.layers):
            x = self.applied(layer, x) if i % self.every == 0 else layer(x)
        return self.head(x)

    def through(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def applied(self, layer, x):
        if self.how == "reentrant":
            return checkpoint(layer, x, use_reentrant=True)
        if self.how == "part":
            return layer(x) + checkpoint(lambda y: torch.tanh(layer.up(y)).sum(-1, True).sin(), x,
                                         use_reentrant=False)  # fmt: skip
        return checkpoint(layer, x, use_reentrant=False, early_stop=self.how != "late")


@COSTLY(3)
@pytest.mark.parametrize(("how", "p", "every"), [
    ("", 0.0, 1), ("", 0.1, 1), ("", 0.1, 2), ("late", 0.0, 1), ("reentrant", 0.1, 1),
    ("whole", 0.0, 1), ("part", 0.0, 1),
])  # fmt: skip
def test_what_is_run_again_is_counted_and_not_kept(how, p, every):
    given = {"d": 6, "depth": 4, "p": p, "every": every, "how": how}
    subject = Subject("Stack", "tests", Stack, given, lambda v: Stack(**v),
                      (parse_input("x: float (B, d)"),))  # fmt: skip
    traced = checked(*trace(subject))
    assert [c for c in traced.checks if not c.passed] == []
    assert len(traced.checks) == 5
    assert any(n.within for g in traced.graph.bodies for n in g.nodes)
    assert loaded(dumped(traced).encode(), "here") == traced


def test_nothing_is_run_again_where_nothing_asks_for_a_gradient():
    module = Stack()
    with torch.no_grad():
        recording = record(module, {"x": torch.zeros(2, 6)}, lambda m: m(torch.zeros(2, 6)))
    assert not any(s.within for s in recording.steps)
