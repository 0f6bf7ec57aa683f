"""Rows that experts get are told as if balanced; what else depends on data is refused."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch import nn  # noqa: E402  # after it is known to be there
from torch.nn import functional as F  # noqa: E402, N812

from symledger.errors import BadInput  # noqa: E402
from symledger.report.trace import told  # noqa: E402
from symledger.traces.reading import loaded  # noqa: E402
from symledger.traces.writing import dumped  # noqa: E402
from symledger.tracing.checking.checks import checked  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.runs.record import record  # noqa: E402
from symledger.tracing.runs.routes import Routes  # noqa: E402
from symledger.tracing.trace import trace  # noqa: E402


class Mixture(nn.Module):
    def __init__(self, d=6, k=2, experts=4):
        super().__init__()
        self.k, self.gate = k, nn.Linear(d, experts)
        self.experts = nn.ModuleList([nn.Linear(d, d) for _ in range(experts)])

    def routed(self, x):
        x = x.flatten(0, 1)
        weights, chosen = self.gate(x).softmax(-1).topk(self.k)
        return x, weights, chosen


class Where(Mixture):
    def forward(self, x):
        x, w, chosen = self.routed(x)
        y = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows, nth = torch.where(chosen == e)
            y.index_add_(0, rows, expert(x[rows]) * w[rows, nth, None])
        return y


class OneHot(Mixture):
    def forward(self, x):
        x, w, chosen = self.routed(x)
        y, mask = torch.zeros_like(x), F.one_hot(chosen, len(self.experts)).permute(2, 1, 0)
        for e, expert in enumerate(self.experts):
            nth, rows = torch.where(mask[e])
            y = y.index_add(0, rows, expert(x[rows]) * w[rows, nth, None])
        return y


class Mask(Mixture):
    def forward(self, x):
        x, _, chosen = self.routed(x)
        y = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            mask = (chosen == e).any(-1)
            y[mask] += expert(x[mask])
        return y


class Skipped(Mixture):
    def forward(self, x):
        x, _, chosen = self.routed(x)
        y = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            mask = (chosen == e).any(-1)
            if not mask.any() or mask.sum() == 0:
                continue
            y[mask] += expert(x[mask])
        return y


class Scattered(Mixture):
    def forward(self, x):
        x, w, chosen = self.routed(x)
        gates = torch.zeros(x.shape[0], len(self.experts), device=x.device).scatter(1, chosen, w)
        y = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows = (gates[:, e] > 0).nonzero().squeeze(-1)
            y = y.index_add(0, rows, expert(x[rows]) * gates[rows, e, None])
        return y


class First(Mixture):
    def forward(self, x):
        x = x.flatten(0, 1)
        chosen = self.gate(x).argmax(-1)
        y = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows = torch.nonzero(chosen == e).squeeze(1)
            y = y.index_add(0, rows, expert(x[rows]))
        return y


class Positive(Mixture):
    def forward(self, x):
        return x[x > 0]


class Counted(Mixture):
    def forward(self, x):
        x, _, chosen = self.routed(x)
        return x * (chosen == 0).sum().item()


def subject(kind):
    return Subject(kind.__name__, "tests", kind, {"d": 6, "k": 2, "experts": 4},
                   lambda v: kind(**v), (parse_input("x: float (B, T, d)"),))  # fmt: skip


@pytest.mark.parametrize("kind", [Where, OneHot, Mask, Skipped, Scattered, First])
def test_rows_of_a_mask_of_choices_are_told(kind):
    module = kind().to("meta")
    routes = Routes({}, {"R": 7})
    x = torch.zeros(2, 10, 6, device="meta")
    made = record(module, {"x": x}, lambda m: m(x), routes=routes)
    found = [s.results[0][0][0] for s in made.steps if s.operation == "aten.nonzero"]
    assert set(found) == {7}
    among, of = routes.told["R"]
    assert among / of == 20 * (1 if kind is First else 2) / 4


@pytest.mark.parametrize(
    ("kind", "said"),
    [(Positive, "how much comes out depends on data"), (Counted, "reads a number out of a tensor")],
)
def test_what_else_depends_on_data_is_refused_with_its_place(kind, said):
    module = kind().to("meta")
    x = torch.zeros(2, 10, 6, device="meta")
    with pytest.raises(BadInput, match=f"test_routes.py:.*{said}|{said}.*test_routes.py"):
        record(module, {"x": x}, lambda m: m(x))


def test_a_mixture_counts_told_rows_and_runs_real_ones():
    made = checked(*trace(subject(OneHot)))
    assert told(made) == ["R = B*T*k/experts"]
    ((_, loop),) = made.graph.of("loop")
    assert (loop.beside, str(loop.times)) == (("experts",), "experts")
    assert loaded(dumped(made).encode(), "it").graph == made.graph
    checks = {c.quantity: c for c in made.checks}
    for quantity in ("params", "flops.forward", "flops.backward", "values"):
        assert checks[quantity].passed, checks[quantity].detail
    assert "rows for an expert" in checks["values"].claim
