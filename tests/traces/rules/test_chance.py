"""What is drawn at random: dropout of all kinds."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.nn import functional as F  # noqa: E402, N812  # as everyone calls it

from symledger.ir.ops import Input  # noqa: E402
from tests.traces.rules.both_ways import HEADS, X, check, refused, written  # noqa: E402

DROPPED = {
    "elements": lambda m, q: F.dropout(q * m.v, 0.3),
    "channels": lambda m, q: F.dropout2d(q * m.v, 0.3),
    "elements of SELU": lambda m, q: F.alpha_dropout(q * m.v, 0.3, True),
    "channels of SELU": lambda m, q: F.feature_alpha_dropout(q * m.v, 0.3, True),
    "not while evaluating": lambda m, q: F.dropout(q, 0.3, False) * m.v,
}


@pytest.mark.parametrize("run", DROPPED.values(), ids=DROPPED)
def test_dropout_is_pytorchs(run):
    check(run, HEADS)


@pytest.mark.parametrize("draw", [torch.rand_like, torch.randn_like])
def test_noise_is_no_table(draw):
    program = written(lambda m, x: x + draw(x) * m.v, X)
    assert any(t.op.drawn for t in program.of(Input))


def test_dropout_of_everything_is_refused():
    refused(lambda m, x: F.dropout(x, 1.0), X, why="dropout of everything")
