"""A module of a line, run both ways: number by number in NumPy, and counted at other sizes."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from sympy import Integer  # noqa: E402  # after it is known to be there
from torch import nn  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from symledger.errors import BadInput  # noqa: E402
from symledger.readings.flops import contraction_flops  # noqa: E402
from symledger.readings.params import params  # noqa: E402
from symledger.readings.pullback import pullback  # noqa: E402
from symledger.sizes import named  # noqa: E402
from symledger.traces.lowering import program_of  # noqa: E402
from symledger.tracing.checking.comparing import compare_module  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.runs.recorder import tensors  # noqa: E402
from symledger.tracing.trace import trace  # noqa: E402

X, IDS, HEADS = "x: float (B, T, d)", "ids: int64 (B, T)", "q: float (B, 4, T, d)"
"""What enters: numbers, whole numbers below 5, and numbers of four heads."""
SMALL = {"B": 2, "T": 5, "d": 6}
BELOW = 5


class Tiny(nn.Module):
    """A function of tensors, with weights v of d numbers and E of d + 1 rows."""

    def __init__(self, run, d=6):
        super().__init__()
        self.run = run
        self.v = nn.Parameter(torch.randn(d))
        self.E = nn.Parameter(torch.randn(d + 1, d))

    def forward(self, *given, **named_ones):
        return self.run(self, *given, *named_ones.values())


def drawn(entering):
    """Draw what enters, at a small size."""
    torch.manual_seed(3)
    shape = [int(a) if a.isdecimal() else SMALL[a] for a in entering.axes]
    if entering.dtype == "int64":
        return torch.randint(0, BELOW, shape)
    return torch.randn(shape, dtype=torch.float64)


def check(run, *entering, fused=0):
    """Check outputs and gradients in NumPy, then parameters and FLOPs at other sizes."""
    numbers(run, *entering)
    counts(run, *entering, fused=fused)


def numbers(run, *entering):
    """Compare the lowered program, run in NumPy, with PyTorch."""
    torch.manual_seed(5)
    found = compare_module(Tiny(run), *(drawn(e) for e in map(parse_input, entering)))
    assert not found.wrong, str(found)


def counts(run, *entering, fused=0):
    """Compare parameters and FLOPs with PyTorch where the module was traced.

    PyTorch's counter does attention of tensors without elements by parts, whose backward pass is
    twice the forward one. Kept whole, it has one product more on the way back: a ``fused`` part.
    """
    made, _ = trace(traced_subject(run, *entering))
    points = tuple(sizes(made, at) for at in made.points)
    program = program_of(made.graph, None, "tiny", points)
    forward, back = contraction_flops(program).total, contraction_flops(pullback(program)).total
    for at, values in list(zip(made.points, points, strict=True))[:3]:
        module = Tiny(run, at.get("d", SMALL["d"])).to("meta")
        there, behind = counted(module, at, entering)
        behind += int(there * fused)
        assert (forward.xreplace(values), back.xreplace(values)) == (there, behind)
        used = {n for n, p in module.named_parameters() if p.grad is not None}
        known = sum(p.numel() for n, p in module.named_parameters() if n in used)
        assert params(program).total.xreplace(values) >= known


def traced_subject(run, *entering):
    def make(values):
        return Tiny(run, values["d"])

    return Subject("Tiny", "", Tiny, {"d": 6}, make, tuple(map(parse_input, entering)))


def sizes(made, at):
    values = {named(s): Integer(n) for s, n in at.items()}
    for s, e in made.definitions.items():
        values[named(s)] = e.xreplace(values)
    return values


def counted(module, at, entering):
    """What PyTorch counts of a module on tensors without elements, forward and backward."""
    given = []
    for e in map(parse_input, entering):
        shape = [int(a) if a.isdecimal() else at.get(a, SMALL.get(a)) for a in e.axes]
        whole = e.dtype == "int64"
        given.append(torch.zeros(shape, dtype=torch.int64 if whole else torch.float32,
                                 device="meta", requires_grad=not whole))  # fmt: skip
    with torch.device("meta"), FlopCounterMode(display=False) as forward:
        made = [y for y in dict.fromkeys(tensors(module(*given))) if y.requires_grad]
    with FlopCounterMode(display=False) as back:
        if made:
            sum(y.abs().sum() if y.is_complex() else y.sum() for y in made).backward()
    return forward.get_total_flops(), back.get_total_flops()


def refused(run, *entering, why):
    """Check that a use is refused, with the operation and the line."""
    with pytest.raises(BadInput, match=why):
        written(run, *entering)


def written(run, *entering):
    """Return the program of a module, as it is traced."""
    return program_of(graph(run, *entering), None, "tiny")


def graph(run, *entering):
    """Return what was recorded of a module."""
    made, _ = trace(traced_subject(run, *entering))
    return made.graph
