"""What a module may be built and run with: steps, sizes that may not meet, layers that stay."""

from textwrap import dedent

import pytest

from symledger.errors import BadInput
from symledger.sizes import named
from symledger.targets.traced import traced_target
from symledger.traces.graph import Argued
from symledger.traces.reading import loaded
from symledger.traces.writing import dumped

pytest.importorskip("torch", reason="needs PyTorch")

from symledger.tracing.account import account_of, traced  # after PyTorch is known to be there
from symledger.tracing.trace import UNLIKE

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
SHORTCUT = """
    class Net(nn.Module):
        def __init__(self, inner=6, outer=10):
            super().__init__()
            self.l = nn.Linear(inner, outer)
            self.shortcut = nn.Linear(inner, outer) if inner != outer else nn.Identity()

        def forward(self, x):
            return self.l(x) + self.shortcut(x)
"""
WINDOWS = """
    class Net(nn.Module):
        def __init__(self, d=4, window=4):
            super().__init__()
            self.patch, self.w = nn.Conv2d(3, d, 4, 4), window
            self.table = nn.Parameter(torch.zeros((2 * window - 1) ** 2))
            self.register_buffer("index", torch.zeros(window**2, window**2, dtype=torch.long))

        def forward(self, x):
            x = self.patch(x).permute(0, 2, 3, 1)
            B, H, W, C = x.shape
            w = self.w
            x = x.view(B, H // w, w, W // w, w, C).permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, C)
            bias = self.table[self.index.view(-1)].view(w * w, w * w)
            return bias @ x
"""
LISTS = """
    class Net(nn.Module):
        def __init__(self, d=6, layers=4):
            super().__init__()
            self.a = nn.ModuleList(nn.Linear(d, d) for _ in range(layers))
            self.b = nn.ModuleList(nn.Conv1d(d, d, 2, dilation=2**i) for i in range(layers))

        def forward(self, x):
            for i, (a, b) in enumerate(zip(self.a, self.b)):
                y = F.pad(a(x).transpose(1, 2), (2**i, 0))
                x = x + torch.tanh(b(y)).transpose(1, 2)
            return x
"""
BIAS_OF_A_NORM = """
    class Net(nn.Module):
        def __init__(self, c=3):
            super().__init__()
            self.a, self.n, self.b = nn.Conv2d(3, c, 3), nn.BatchNorm2d(c), nn.Conv2d(c, c, 1)

        def forward(self, x):
            return self.b(F.relu(self.n(self.a(x)))).pow(2)
"""


@pytest.fixture
def made(tmp_path):
    """Trace a module of which the class is said; all that is checked has to hold."""

    def make(body, entering, **settings):
        (tmp_path / "net.py").write_text(HEAD + dedent(body))
        at = {name: str(n) for name, n in settings.items()}
        found = traced(f"{tmp_path / 'net.py'}:Net", at, (f"x: float32 ({entering})",))
        assert [c for c in found.checks if not c.passed] == []
        return found

    return make


def test_sizes_that_are_another_module_where_they_are_equal_stay_apart(made):
    found = made(SHORTCUT, "B, inner")
    assert list(map(str, found.conditions)) == ["inner ≠ outer"]
    again = loaded(dumped(found).encode(), "a file")
    assert again == found
    with pytest.raises(BadInput, match=r"inner = 10 and outer = 10: other operations run there"):
        traced_target(again).settled({"inner": "10"})
    assert traced_target(again).settled({"inner": "10", "outer": "6"})


def test_lengths_are_changed_by_what_they_have_to_be_multiples_of(made):
    found = made(WINDOWS, "B, 3, H, W", H=64, W=64)
    assert all(p["H"] % (4 * p["window"]) == 0 for p in found.points)
    assert len({p["window"] for p in found.points}) > 3
    account = account_of(found, "net")
    assert str(account.params.expr) == "49*d + 4*window**2 - 4*window + 1"


def test_layers_that_are_no_repetitions_stay_as_many_as_there_are(made):
    found = made(LISTS, "B, T, d")
    (layers,) = found.fixed
    assert layers == Argued("layers", f"4, and {UNLIKE}")
    account = account_of(found, "net")
    assert str(account.params.expr) == "12*d**2 + 8*d"


def test_a_gradient_that_is_nothing_but_noise_is_compared_with_the_others(made):
    made(BIAS_OF_A_NORM, "B, 3, H, W", H=16, W=16)


CAPACITY = """
    class Net(nn.Module):
        def __init__(self, d=6, experts=4, factor=1.5):
            super().__init__()
            self.l, self.experts, self.factor = nn.Linear(d, d), experts, factor

        def forward(self, x):
            return self.l(x[:, : -int(-self.factor * x.shape[1] // self.experts)])
"""


def test_what_is_rounded_unheard_is_looked_at_far_away(made):
    """⌈1.5·T/4⌉ is ⌊(T + 4)/3⌋ wherever T is small, and no longer at T = 19."""
    found = made(CAPACITY, "B, T, d")
    (rounded,) = found.definitions.values()
    assert [int(rounded.subs(named("T"), n)) for n in (5, 12, 19, 100)] == [2, 5, 8, 38]


CAUSAL = """
    class Net(nn.Module):
        def __init__(self, d=4, h=6, layers=3):
            super().__init__()
            self.ls = nn.ModuleList(nn.Conv1d(h if i else d, h, 2) for i in range(layers))

        def forward(self, x):
            for l in self.ls:
                x = l(F.pad(x.transpose(1, 2), (1, 0))).transpose(1, 2)
            return x
"""


def test_a_last_layer_that_stands_apart_is_compared_with_itself(made):
    """Where values are compared there are more layers, and another one has its number."""
    assert "L" in made(CAUSAL, "B, T, d").sizes


POLAR = """
    class Net(nn.Module):
        def __init__(self, d=4, context=16):
            super().__init__()
            self.l = nn.Linear(d, d)
            angles = torch.outer(torch.arange(context), torch.arange(1, d // 2 + 1).float())
            self.register_buffer("turn", torch.polar(torch.ones(angles.shape), angles.float()))

        def forward(self, x):
            x = torch.view_as_complex(self.l(x).unflatten(-1, (-1, 2)))
            return torch.view_as_real(x * self.turn[: x.shape[1]]).flatten(2)
"""


def test_a_constructor_that_asks_for_single_precision_is_compared_in_double(made):
    assert made(POLAR, "B, T, d").checks[-1].quantity == "values"
