"""Loops in Python become scans: the same steps at every length, and PyTorch's numbers at one."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from sympy import Symbol  # noqa: E402  # after torch is known to be there
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from symledger.traces.graph import Graph  # noqa: E402
from symledger.traces.lowering import program_of  # noqa: E402
from symledger.traces.reading import loaded  # noqa: E402
from symledger.traces.writing import dumped  # noqa: E402
from symledger.tracing.assemble import Assembler  # noqa: E402
from symledger.tracing.checking.checks import checked, readings  # noqa: E402
from symledger.tracing.checking.comparing import real_run  # noqa: E402
from symledger.tracing.checking.measured import measured  # noqa: E402
from symledger.tracing.checking.numeric import compare  # noqa: E402
from symledger.tracing.folds.fold import folded  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.runs.bounds import bounded  # noqa: E402
from symledger.tracing.spaces.points import Sample  # noqa: E402
from symledger.tracing.spaces.space import Space, unfolded, whole_numbers  # noqa: E402
from symledger.tracing.trace import trace  # noqa: E402


class Net(nn.Module):
    def __init__(self, d=6, n=4):
        super().__init__()
        self.d, self.n = d, n
        self.setup()

    def start(self, x):
        return x.new_zeros(x.shape[0], self.d)


class Stacked(Net):
    def setup(self):
        self.cell = nn.GRUCell(self.d, self.d)

    def forward(self, x):
        h, out = self.start(x), []
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
            out.append(h)
        return torch.stack(out, dim=1)


class Joined(Stacked):
    def forward(self, x):
        h, out = self.start(x), []
        for t in range(x.shape[1]):
            h = self.cell(x[:, t : t + 1].squeeze(1), h)
            out.append(h.unsqueeze(1))
        return torch.cat(out, dim=1), h


class Written(Stacked):
    def forward(self, x):
        h, out = self.start(x), torch.zeros_like(x)
        for t in range(1, x.shape[1]):
            h = self.cell(x[:, t - 1], h)
            out[:, t] = h
        return out


class Unbound(Stacked):
    def forward(self, x):
        h = None
        for x_t in x.unbind(1):
            h = self.cell(x_t, h)
        return h


class Backwards(Stacked):
    def forward(self, x):
        h, out = self.start(x), []
        for t in reversed(range(x.shape[1])):
            h = self.cell(x[:, t], h)
            out.insert(0, h)
        return torch.stack(out, dim=1)


class Cells(Net):
    def setup(self):
        self.cells = nn.ModuleList([nn.RNNCell(self.d, self.d) for _ in range(2)])

    def forward(self, x):
        states = [self.start(x) for _ in self.cells]
        for t in range(x.shape[1]):
            y = x[:, t]
            for i, cell in enumerate(self.cells):
                y = states[i] = cell(y, states[i])
        return y


class Selective(Net):
    def setup(self):
        self.map = nn.Linear(self.d, 2 * self.d)
        self.A = nn.Parameter(torch.randn(self.d, 3))

    def forward(self, x):
        a, b = self.map(x).chunk(2, -1)
        a, b = torch.exp(a[..., None] * -torch.exp(self.A)), b[..., None] * self.A
        h, out = x.new_zeros(x.shape[0], self.d, 3), []
        for t in range(x.shape[1]):
            h = a[:, t] * h + b[:, t] * x[:, t, :, None]
            out.append(h.sum(-1))
        return torch.stack(out, 1) * x


class LastInVain(Net):
    """What the last step hands on, nobody takes: no gradient goes back through it."""

    def setup(self):
        self.q, self.k = nn.Linear(self.d, self.d), nn.Linear(self.d, self.d)

    def forward(self, x):
        q, k = self.q(x), self.k(x)
        S, out = x.new_zeros(x.shape[0], self.d, self.d), []
        for t in range(x.shape[1]):
            out.append(torch.einsum("bi,bij->bj", q[:, t], S))
            S = S + torch.einsum("bi,bj->bij", k[:, t], x[:, t])
        return torch.stack(out, 1)


class Dropped(Stacked):
    def forward(self, x):
        h, out = self.start(x), []
        for t in range(x.shape[1]):
            h = nn.functional.dropout(self.cell(x[:, t], h), 0.3)
            out.append(h)
        return torch.stack(out)


class Again(Net):
    def setup(self):
        self.layer = nn.Linear(self.d, self.d)
        self.step = nn.Embedding(self.n, self.d)

    def forward(self, x):
        for i in range(self.n):
            x = x + torch.tanh(self.layer(x + self.step.weight[i]))
        return x


class Refined(Stacked):
    def forward(self, x):
        h = self.start(x)
        for t in range(x.shape[1]):
            x_t = x[:, t]
            for _ in range(self.n):
                h = self.cell(x_t, h)
        return h


class Twice(Net):
    def setup(self):
        self.blocks = nn.ModuleList([nn.Linear(self.d, self.d) for _ in range(3)])

    def forward(self, x):
        for _ in range(self.n):
            for block in self.blocks:
                x = x + torch.relu(block(x))
        return x


class Lengths(Stacked):
    """A row stops where its length says so, told by its first element."""

    def forward(self, x):
        h, lengths = self.start(x), x[:, 0, 0] * 4
        for t in range(x.shape[1]):
            h = torch.where((lengths > t)[:, None], self.cell(x[:, t], h), h)
        return h


class Experts(Net):
    """Every expert's weights are rows of one tensor, and all of them see all."""

    def setup(self):
        self.gate, self.up = nn.Linear(self.d, self.n), nn.Parameter(torch.ones(self.n, 7, self.d))

    def forward(self, x):
        chosen, y = self.gate(x).argmax(-1), 0.0
        for e in range(self.n):
            y = y + (chosen == e)[..., None] * nn.functional.linear(x, self.up[e]).relu()
        return y


class Along(Net):
    """Every expert is a module of its own, with a number by which it is weighed."""

    def setup(self):
        self.gate = nn.Linear(self.d, self.n)
        self.own = nn.ModuleList(
            nn.Sequential(nn.Linear(self.d, 7), nn.ReLU(), nn.Linear(7, self.d))
            for _ in range(self.n)
        )

    def forward(self, x):
        w, y = self.gate(x).softmax(-1), torch.zeros_like(x)
        for i, one in enumerate(self.own):
            y = y + w[..., i, None] * one(x)
        return y


class Together(Along):
    """What experts made is put together; one weight is that of all of them."""

    def forward(self, x):
        made = torch.stack([one(x) * self.gate.weight[0] for one in self.own], -1)
        return (made * self.gate(x)[..., None, :]).sum(-1)


class Rerun(Stacked):
    """Every step is run again going back."""

    def forward(self, x):
        h, out = self.start(x), []
        for t in range(x.shape[1]):
            h = checkpoint(self.step, x[:, t], h, use_reentrant=False)
            out.append(h)
        return torch.stack(out, dim=1)

    def step(self, x, h):
        return torch.tanh(self.cell(x, h).sin() * 2) + h


class InPairs(Net):
    """No scan of ours: each step takes two positions."""

    def setup(self):
        self.map = nn.Linear(2 * self.d, self.d)

    def forward(self, x):
        out = [self.map(x[:, t : t + 2].flatten(1)) for t in range(x.shape[1] - 1)]
        return torch.stack(out, 1)


OVER_TIME = (Stacked, Joined, Written, Unbound, Backwards, Cells, Selective, LastInVain, Dropped,
             Lengths, Rerun)
CASES = [(kind, "T", 5, 7) for kind in OVER_TIME] + [
    (Experts, "n", 4, 5), (Along, "n", 4, 6), (Together, "n", 4, 5), (Again, "n", 4, 6),
    (Refined, "T", 3, 5), (Refined, "n", 3, 4), (Twice, "n", 2, 3),
]  # fmt: skip


def subject(kind, loops=True):
    found = Subject(kind.__name__, "tests", kind, {"d": 6, "n": 4}, lambda v: kind(**v),
                    (parse_input("x: float (B, T, d)"),))  # fmt: skip
    found.loops, found.lists = loops, frozenset({"own"})
    return found


@pytest.mark.parametrize(("kind", "size", "one", "other"), CASES)
def test_a_loop_runs_the_same_at_every_length_and_gives_the_numbers_of_pytorch(
    kind, size, one, other
):
    given = subject(kind)
    base = {**whole_numbers(given), "B": 2, "T": 4, size: one}
    space = Space(given, base, base)
    here, there = space.observe(base), space.observe({**base, size: other})
    assert here.rounds
    assert here.rounds != there.rounds
    assert here.structure == there.structure
    ran = real_run(given, Graph((), ()), base, {})
    graph = graph_of(space, replace(here, recording=ran.recording))
    found = compare(graph, {}, ran)
    assert not found.wrong, str(found)
    said = measured(given, unfolded(given, base), base)
    program = program_of(graph, None, "loop")
    for quantity, tally, known in readings(program):
        assert tally.total == known(said), quantity


def graph_of(space, run):
    return bounded(folded(Assembler(Sample(space, [run])).graph()))


@pytest.fixture(scope="module")
def selective():
    return checked(*trace(subject(Selective)))


def test_the_length_of_a_loop_is_a_size_of_the_trace(selective):
    (loop,) = [n for n in selective.graph.nodes if n.operation == "loop"]
    assert str(loop.times) == "T"
    assert all(c.passed for c in selective.checks), selective.checks


def test_a_trace_with_a_loop_is_read_as_it_was_written(selective):
    assert loaded(dumped(selective).encode(), "a file") == selective


def test_a_module_called_again_and_again_counts_its_weights_once():
    given = subject(Again)
    made, _ = trace(given, lengths={"T": 9})
    (loop,) = [n for n in made.graph.nodes if n.operation == "loop"]
    assert loop.times == Symbol("n", integer=True, positive=True) or str(loop.times) == "n"
    assert {p["n"] for p in made.points} != {4}


def test_what_is_no_scan_keeps_its_length():
    made, space = trace(subject(InPairs))
    assert "T" not in space.sizes
    assert not any(g.of("loop") for g in made.graph.bodies)
