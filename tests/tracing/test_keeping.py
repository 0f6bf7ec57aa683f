"""Sizes that keep their value, lists that move as one, layers of which the last is another one."""

from textwrap import dedent

import pytest

pytest.importorskip("torch", reason="needs PyTorch")

from sympy import Symbol  # after PyTorch is known to be there

from symledger.tracing.account import account_of, traced
from symledger.tracing.checking.verify import verified_at
from symledger.tracing.spaces.fit import Points

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
COLUMNS = """
    class Net(nn.Module):
        def __init__(self, c=6, k=3):
            super().__init__()
            self.k, self.w = k, nn.Linear(c * k * k, 2)

        def forward(self, x):
            return self.w(F.unfold(x, self.k, padding=self.k // 2).mT)
"""
TILES = """
    class Net(nn.Module):
        def __init__(self, c=4, out=5):
            super().__init__()
            self.l, self.pool = nn.Conv1d(c, c, 1), nn.AdaptiveMaxPool1d(out)

        def forward(self, x):
            return self.pool(self.l(x))
"""
PATCHES = """
    class Net(nn.Module):
        def __init__(self, size=24, patch=6, s=4):
            super().__init__()
            self.p, self.l = nn.Conv2d(1, 3, patch, patch), nn.Linear((size // patch) ** 2, s)

        def forward(self, x):
            return self.l(self.p(x).flatten(2))
"""
ADAPTED = """
    class Net(nn.Module):
        def __init__(self, d=12, h=2, r=3):
            super().__init__()
            self.h, self.l = h, nn.Linear(d, d).requires_grad_(False)
            self.a, self.b = nn.Linear(d, r, bias=False), nn.Linear(r, d, bias=False)

        def forward(self, ids):
            x = F.one_hot(ids, 12).float() @ self.l.weight
            q, k = (y.unflatten(-1, (self.h, -1)).mT.mT.transpose(1, 2)
                    for y in (self.l(x) + self.b(self.a(x)), self.l(x)))
            return F.scaled_dot_product_attention(q, k, k)
"""
EQUAL = """
    class Net(nn.Module):
        def __init__(self, widths=(6, 6, 6)):
            super().__init__()
            pairs = list(zip(widths, widths[1:]))
            self.ls = nn.ModuleList(nn.Linear(a, b) for a, b in pairs)
            self.ps = nn.ModuleList(nn.Linear(a, b) if a != b else nn.Identity() for a, b in pairs)

        def forward(self, x):
            for l, p in zip(self.ls, self.ps):
                x = torch.relu(l(x)) + p(x)
            return x
"""
TURNED = """
    class Net(nn.Module):
        def __init__(self, d=24, h=2, r=4):
            super().__init__()
            self.h, self.r, self.q = h, r, nn.Linear(d, d)

        def forward(self, x):
            q = self.q(x).unflatten(-1, (self.h, -1))
            return torch.cat([torch.sin(q[..., : self.r]), q[..., self.r :]], -1)
"""
SKIPS = """
    class Net(nn.Module):
        def __init__(self, d=5, depth=4):
            super().__init__()
            self.ls = nn.ModuleList(
                nn.ModuleDict({"r": nn.Linear(d, d), "s": nn.Linear(d, d)}) for _ in range(depth)
            )

        def forward(self, x):
            seen = 0
            for l in self.ls:
                y = torch.tanh(x)
                x, seen = x + l["r"](y), seen + l["s"](y)
            return seen
"""
ROUTED = """
    class Net(nn.Module):
        def __init__(self, d=6, experts=3):
            super().__init__()
            self.gate = nn.Linear(d, experts)
            self.experts = nn.ModuleList(nn.Linear(d, d) for _ in range(experts))

        def forward(self, x):
            w, i = self.gate(x).softmax(-1).topk(2, -1)
            y = torch.zeros_like(x)
            for e, expert in enumerate(self.experts):
                b, t, k = torch.where(i == e)
                y[b, t] += w[b, t, k, None] * expert(x[b, t])
            return y
"""


SPARE = """
    class Net(nn.Module):
        def __init__(self, d=4, depth=3):
            super().__init__()
            self.ls = nn.ModuleList(
                nn.ModuleDict({"a": nn.Linear(d, d), "b": nn.Linear(d, 4)}) for _ in range(depth)
            )

        def forward(self, x):
            for l in self.ls:
                x = torch.tanh(l["a"](x))
            return x
"""
VECTORS = """
    class Net(nn.Module):
        def __init__(self, d=6):
            super().__init__()
            self.a, self.b = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))

        def forward(self, x):
            return torch.dot(self.a, self.b) + x @ self.a + self.b @ x.mT
"""
MASKED = """
    class Net(nn.Module):
        def __init__(self, d=6, experts=2):
            super().__init__()
            self.gate = nn.Linear(d, experts)
            self.experts = nn.ModuleList(nn.Linear(d, d) for _ in range(experts))

        def forward(self, x):
            w, i = self.gate(x).softmax(-1).max(-1)
            y = torch.zeros_like(x)
            for e, expert in enumerate(self.experts):
                m = i == e
                flat = m.view(-1)
                z = expert(x.view(-1, x.shape[-1])[flat])
                y[m] += z * w.view(-1)[flat][:, None]
            y[:, 0] = 0
            return y
"""


@pytest.fixture
def made(tmp_path):
    """Trace a module of which the class is said; all that is checked has to hold."""

    def make(body, entering, settings=()):
        (tmp_path / "net.py").write_text(HEAD + dedent(body))
        found = traced(f"{tmp_path / 'net.py'}:Net", dict(settings), (entering,))
        assert [c for c in found.checks if not c.passed] == []
        return found

    return make


@pytest.mark.parametrize(
    ("body", "entering", "fixed", "sizes"),
    [
        (COLUMNS, "x: float32 (B, c, 9, 8)", {"k": "3"}, {"B", "c"}),
        (TILES, "x: float32 (B, c, T)", {"out": "5", "T": "12, a length of what enters"},
         {"B", "c"}),
        (PATCHES, "x: float32 (B, 1, 24, 24)", {"size": "24"}, {"B", "patch", "s"}),
        (TURNED, "x: float32 (B, d)", {"r": "4, and d ≠ r"}, {"B", "d", "h"}),
        (EQUAL, "x: float32 (B, widths.0)", {"widths.1": "6, as widths.0",
                                             "widths.2": "6, as widths.0"}, {"B", "widths_0"}),
    ],
)  # fmt: skip
def test_what_no_size_goes_for_in_general_is_fixed_and_said(made, body, entering, fixed, sizes):
    found = made(body, entering)
    assert {a.name: a.value for a in found.fixed} == fixed
    assert set(found.sizes) == sizes
    verified_at(found, {"B": "7"})


def test_a_list_whose_parts_are_equal_may_be_set_where_they_are(made):
    found = made(EQUAL, "x: float32 (B, widths.0)")
    again = verified_at(found, {"widths": "[9, 9, 9]"})
    assert again.points[-1]["widths_0"] == 9


def test_a_fused_kernel_computes_the_gradients_of_keys_that_need_none(made):
    found = made(ADAPTED, "ids: int64 (B, T)")
    counted = account_of(found, "net")["flops.backward"].expr  # five products, and what is adapted
    assert str(counted) == "120*B*T**2 + 72*B*T*r"


def test_what_the_last_layer_makes_for_nobody_has_no_gradient(made):
    found = made(SKIPS, "x: float32 (B, d)")
    counted = account_of(found, "net")
    assert str(counted["flops.backward"].expr) == "8*B*L*d**2 - 4*B*d**2"
    assert str(counted["flops.forward"].expr) == "4*B*L*d**2"


def test_rows_of_experts_are_told_wherever_a_trace_is_verified(made):
    found = made(ROUTED, "x: float32 (B, T, d)")
    again = verified_at(found, {"B": "5", "T": "7"})
    assert all(c.points == 6 for c in again.checks if c.quantity in ("params", "memory.saved"))


def test_a_mask_and_what_shows_it_pick_as_many_rows_on_all_lines(made):
    found = made(MASKED, "x: float32 (B, T, d)")
    assert {n: str(e) for n, e in found.definitions.items()} == {"R": "B*T/2"}


def test_what_sums_nothing_going_back_is_no_product_of_matrices(made):
    found = account_of(made(VECTORS, "x: float32 (B, T, d)"), "net")
    assert str(found["flops.forward"].expr) == "4*B*T*d + 2*d"
    assert str(found["flops.backward"].expr) == "4*B*T*d"


def test_lengths_of_several_that_are_rounded_are_found_though_no_step_changes_them():
    H, W, B, h, w = map(Symbol, ("H", "W", "B", "H_1", "W_1"))
    places = [(2 + 7 * i % 90, 3 + 11 * i % 80, 1 + i % 9) for i in range(24)]
    points = Points((H, W, B), {s: s for s in (H, W, B)},
                    [dict(zip((H, W, B), at, strict=True)) for at in places])  # fmt: skip
    points.define(h, tuple(a // 8 for a, _, _ in places), {H})
    points.define(w, tuple(b // 8 for _, b, _ in places), {W})
    tokens = tuple((a // 8) * (b // 8) + 1 for a, b, _ in places)
    assert points.fit_with_defined(tokens) == h * w + 1


def test_weights_of_layers_that_nothing_uses_are_counted_and_values_compared(made):
    found = made(SPARE, "x: float32 (B, d)")
    assert str(account_of(found, "net").params.expr) == "L*d**2 + 5*L*d + 4*L"
