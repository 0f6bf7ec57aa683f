"""Lists of modules that are gone along side by side are one repetition, at every depth."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch import nn  # noqa: E402  # after it is known to be there

from symledger.traces.reading import loaded  # noqa: E402
from symledger.traces.writing import dumped  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.trace import trace  # noqa: E402


class Lists(nn.Module):
    """Maps in one list, norms in another one, which may be longer."""

    def __init__(self, d, depth, more=0):
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(d, d) for _ in range(depth))
        self.norms = nn.ModuleList(nn.RMSNorm(d) for _ in range(depth + more))


class Zipped(Lists):
    def forward(self, x):
        for a, norm in zip(self.maps, self.norms, strict=True):
            x = x + a(norm(x))
        return x


class ByNumber(Lists):
    def forward(self, x):
        for i in range(len(self.maps)):
            x = self.norms[i](self.maps[i](x)).relu()
        return x


class Ended(Lists):
    def __init__(self, d, depth):
        super().__init__(d, depth, 1)

    def forward(self, x):
        for a, norm in zip(self.maps, self.norms, strict=False):
            x = x + a(norm(x))
        return self.norms[-1](x)


class Scaled(nn.Module):
    def __init__(self, d, depth):
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(d, d) for _ in range(depth))
        self.scales = nn.ParameterList(torch.ones(d) for _ in range(depth))

    def forward(self, x):
        for a, scale in zip(self.maps, self.scales, strict=True):
            x = x + a(x) * scale
        return x


class Crossed(nn.Module):
    """Layers of weights alone: no module runs in them."""

    def __init__(self, d, depth):
        super().__init__()
        self.down = nn.ParameterList(torch.randn(d, 2) for _ in range(depth))
        self.up = nn.ParameterList(torch.randn(2, d) for _ in range(depth))

    def forward(self, x):
        for v, u in zip(self.down, self.up, strict=True):
            x = x + (x @ v @ u).tanh()
        return x


LISTS = {
    Zipped: ("norms", "maps"), ByNumber: ("maps", "norms"), Ended: ("norms", "maps"),
    Scaled: ("maps", "scales"), Crossed: ("down", "up"),
}  # fmt: skip


@pytest.mark.parametrize("kind", LISTS)
def test_lists_that_are_gone_along_together_are_one_repetition(kind):
    subject = Subject(
        "Lists", "", kind, {"d": 4, "depth": 3}, lambda given: kind(**given),
        (parse_input("x: float (B, T, d)"),),
    )  # fmt: skip
    made, _ = trace(subject)
    (repeat,) = [n for n in made.graph.nodes if n.operation == "repeat"]
    first, beside = LISTS[kind]
    assert (repeat.path, repeat.beside, str(repeat.times)) == (first, (beside,), "L")
    assert len({at["L"] for at in made.points}) > 1
    assert loaded(dumped(made).encode(), "it").graph == made.graph


class Plain(nn.Module):
    """Layers in one sequence with what stands before and behind them, as a plain MLP is written."""

    def __init__(self, d, width, depth, classes):
        super().__init__()
        layers = [nn.Linear(d, width), nn.ReLU()]
        for _ in range(depth):
            layers += [nn.Linear(width, width), nn.ReLU()]
        self.net = nn.Sequential(*layers, nn.Linear(width, classes))

    def forward(self, x):
        return self.net(x)


def test_a_head_behind_layers_of_one_sequence_does_not_hide_that_they_repeat():
    arguments = {"d": 4, "width": 6, "depth": 3, "classes": 5}
    entering = (parse_input("x: float (B, d)"),)
    made, _ = trace(Subject("Net", "", Plain, arguments, lambda a: Plain(**a), entering))
    (repeat,) = [n for n in made.graph.nodes if n.operation == "repeat"]
    assert (repeat.path, str(repeat.times), repeat.period) == ("net", "L", 2)
