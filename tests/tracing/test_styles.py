"""Modules as people write them: what ends a list of layers, numbers that follow, what refuses."""

from textwrap import dedent

import pytest

pytest.importorskip("torch", reason="needs PyTorch")

from symledger.errors import BadInput  # after PyTorch is known to be there
from symledger.tracing.account import account_of, traced
from symledger.tracing.checking.verify import verified_at
from symledger.tracing.trace import UNLIKE

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
NORM_AT_THE_END = """
    class Block(nn.Module):
        def __init__(self, d, r, alpha):
            super().__init__()
            self.l, self.a = nn.Linear(d, d), nn.Linear(d, r, bias=False)
            self.b, self.scale = nn.Linear(r, d, bias=False), alpha / r

        def forward(self, x):
            return self.l(x) + self.b(self.a(x)) * self.scale


    class Net(nn.Module):
        def __init__(self, widths=(5, 6), r=4, depth=2, alpha=8.0):
            super().__init__()
            enter, d = widths
            blocks = [Block(d, r, alpha) for _ in range(depth)]
            self.net = nn.Sequential(nn.Linear(enter, d), *blocks, nn.LayerNorm(d), nn.Linear(d, 3))

        def forward(self, x):
            return self.net(x)
"""
SQUEEZED = """
    class Net(nn.Module):
        def __init__(self, c=8, groups=4, r=2):
            super().__init__()
            self.stem = nn.Conv2d(3, c, 3)
            self.grouped = nn.Conv2d(c, 2 * c, 3, groups=groups)
            self.gate = nn.Sequential(nn.Linear(2 * c, c // r), nn.Linear(c // r, 2 * c))

        def forward(self, x):
            x = self.grouped(F.max_pool2d(self.stem(x), 2))
            return x * F.hardsigmoid(self.gate(x.mean((2, 3))))[..., None, None]
"""
LIKELIHOOD = """
    class Net(nn.Module):
        def __init__(self, d=6):
            super().__init__()
            self.l, self.p = nn.Linear(d, d), torch.linspace(0, 0.1, 4, device="cpu")[1].item()

        def forward(self, x):
            return F.binary_cross_entropy(torch.sigmoid(self.l(x) * (1 - self.p)), x)
"""
HALVED = """
    class Net(nn.Module):
        def __init__(self, c=2, levels=3):
            super().__init__()
            self.down = nn.ModuleList(
                nn.Conv1d(c * 2**i, 2 * c * 2**i, 3, padding=1) for i in range(levels)
            )

        def forward(self, x):
            for layer in self.down:
                x = layer(x).unflatten(-1, (-1, 2)).mean(-1)
            return x
"""
PADDED = """
    class Net(nn.Module):
        def __init__(self, c=3):
            super().__init__()
            self.down = nn.Conv1d(2, c, 3, padding=1)
            self.up = nn.ConvTranspose1d(c, c, 2, stride=2)

        def forward(self, x):
            x = self.down(x)
            y = self.up(F.max_pool1d(x, 2))
            more = x.size(2) - y.size(2)
            return torch.cat([x, F.pad(y, [more // 2, more - more // 2])], 1)
"""
SHARED_HEADS = """
    class Net(nn.Module):
        def __init__(self, d=24, h=4, h_kv=4):
            super().__init__()
            self.h, self.k = h, h_kv
            self.q, self.kv = nn.Linear(d, d), nn.Linear(d, 2 * h_kv * (d // h))

        def forward(self, x):
            q = self.q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
            k, v = (y.unflatten(-1, (self.k, -1)).transpose(1, 2)
                    for y in self.kv(x).chunk(2, -1))
            return F.scaled_dot_product_attention(q, k, v, enable_gqa=self.h != self.k)
"""
MEETING = """
    class Net(nn.Module):
        def __init__(self, plain=6, turned=4, value=9):
            super().__init__()
            self.q, self.v = nn.Linear(5, plain + turned), nn.Linear(5, value)

        def forward(self, x):
            q, v = self.q(x), self.v(x)
            return q * v if q.shape[-1] == v.shape[-1] else q.sum(-1, keepdim=True) * v
"""
OBJECTS = """
    from dataclasses import dataclass


    @dataclass
    class Out:
        y: torch.Tensor
        loss: object


    class Net(nn.Module):
        def __init__(self, d=6):
            super().__init__()
            self.mean, self.deviation = nn.Linear(d, d), nn.Linear(d, d)

        def forward(self, x):
            made = torch.distributions.Normal(self.mean(x), F.softplus(self.deviation(x)))
            return Out(x, made)
"""
DEVICES = """
    device = torch.device("cuda")


    class Net(nn.Module):
        def __init__(self, d=6, rate=0.1):
            super().__init__()
            self.l = nn.Linear(d, d).to(device)
            self.rates = [x.item() for x in torch.linspace(0, rate, 3)]
            self.scale = torch.arange(4, device="cpu").float()[2:3]

        def forward(self, x):
            place = torch.arange(x.shape[1], device=device)
            y = self.l(x.to("cuda", non_blocking=True)) * self.scale + place[:, None].to(x)
            return F.dropout(y, self.rates[1]).cuda().cpu()
"""

QUARTERS = """
    class Net(nn.Module):
        def __init__(self, c=12, k=3):
            super().__init__()
            self.conv, self.pad = nn.Conv1d(c, c, k, padding=k // 2), nn.ReflectionPad1d(1)
            self.norm, self.scale = nn.GroupNorm(c // 4, c), nn.Parameter(torch.Tensor(c, 1))

        def forward(self, x):
            return self.norm(self.pad(self.conv(x))) * self.scale
"""
TURNED = """
    class Net(nn.Module):
        def __init__(self, d=6):
            super().__init__()
            self.l = nn.Linear(d, d)

        def forward(self, x):
            return (1j * self.l(x)).real
"""


@pytest.fixture
def made(tmp_path):
    """Trace a module of which the class is said; all that is checked has to hold."""

    def make(body, entering):
        (tmp_path / "net.py").write_text(HEAD + dedent(body))
        found = traced(f"{tmp_path / 'net.py'}:Net", {}, (f"x: float32 ({entering})",))
        assert [c for c in found.checks if not c.passed] == []
        return found

    return make


def test_what_stands_behind_layers_has_another_number_at_every_depth(made):
    found = made(NORM_AT_THE_END, "B, widths.0")
    assert {p["L"] for p in found.points} >= {2, 3, 5}
    params = account_of(found, "net").params.expr
    of = dict(zip(map(str, params.free_symbols), params.free_symbols, strict=True))
    at = {of["widths_0"]: 5, of["widths_1"]: 6, of["r"]: 4, of["L"]: 7}
    assert params.subs(at) == 5 * 6 + 6 + 7 * (42 + 2 * 24) + 12 + 21
    named = {str(n.arguments.get("name")) for n in found.graph.nodes}
    assert {"net.3.weight", "net.4.bias"} <= named  # as it is where two layers were asked for


def test_groups_divide_what_is_several_times_a_width(made):
    found = made(SQUEEZED, "B, 3, 20, 20")
    assert set(found.sizes) >= {"groups", "r"}
    assert "kept for its shape" in next(
        c.claim for c in found.checks if c.quantity == "memory.saved"
    )


def test_what_enters_may_have_to_be_probabilities(made):
    made(LIKELIHOOD, "B, d")


def test_levels_that_may_not_be_more_stay(made):
    found = made(HALVED, "B, c, 8")
    assert {a.name: a.value for a in found.fixed} == {"levels": f"3, and {UNLIKE}"}


def test_an_argument_that_moves_with_another_one_is_as_large_where_it_is_compared(made):
    found = made(SHARED_HEADS, "B, T, d")
    assert {a.name: a.value for a in found.fixed} == {"h_kv": "4, as h"}
    assert len({p["h"] for p in found.points}) > 2
    again = verified_at(found, {"h": "6"})
    assert [c.points for c in again.checks if c.quantity == "params"] == [6]


def test_sizes_that_meet_in_a_sum_keep_their_values(made):
    found = made(MEETING, "B, 5")
    assert {a.name for a in found.fixed} == {"plain", "turned", "value"}


def test_tensors_in_any_object_come_out(made):
    assert str(account_of(made(OBJECTS, "B, 3, d"), "net")["flops.training"].expr) == "36*B*d**2"


def test_devices_are_as_the_trace_has_them(made):
    made(DEVICES, "B, T, d")


def test_quotients_without_a_rest_at_first_are_rounded_elsewhere(made):
    found = made(QUARTERS, "B, c, 16")
    assert set(map(str, found.definitions.values())) == {"floor(k/2)"}
    assert len({p["c"] for p in found.points}) > 2


def test_complex_numbers_beside_tensors_are_refused(made):
    with pytest.raises(BadInput, match="1j is no number"):
        made(TURNED, "B, d")


def test_what_is_padded_to_the_length_of_another_is_what_was_rounded_away(made):
    found = made(PADDED, "B, 2, T")
    assert not [c for c in found.checks if not c.passed]
    assert str(found.definitions["T_1"]) == "floor(T/2)"
