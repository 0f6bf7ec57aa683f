"""What is written in place is seen where it is seen in PyTorch, and goes back the same way."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch import nn  # noqa: E402  # after it is known to be there
from torch.nn import functional as F  # noqa: E402, N812

from symledger.errors import BadInput  # noqa: E402
from symledger.tracing.checking.comparing import compare_module  # noqa: E402
from symledger.tracing.runs.record import record  # noqa: E402

X = torch.randn(3, 4)


class Written(nn.Module):
    def __init__(self, run):
        super().__init__()
        self.run, self.w = run, nn.Parameter(torch.randn(4))

    def forward(self, x):
        return self.run(x * self.w)


def added(y):
    z = y * 2
    y += z
    return y * z


def quietly(y):
    z = y * 2
    with torch.no_grad():
        z.mul_(3).clamp_(min=-1)
    return z * y


def into_view(y):
    y[:, 0] = y[:, 1] * 2
    y[1:, 2:].mul_(3)
    return y * y


def view_sees(y):
    row, turned = y[1], y.t()
    y.mul_(2).sub_(1)
    return row * turned[:, 0]


def filled(y):
    out = torch.zeros(3, 4, dtype=torch.float64)
    out[:, 1] = y[:, 0]
    out[2] += y[0]
    return out


def through_reshape(y):
    y.view(6, 2)[2:4, 1].fill_(0.5)
    y.unsqueeze(0).transpose(1, 2)[0, 3].neg_()
    return y.exp()


def put(y):
    out = torch.zeros_like(y)
    out.index_put_((torch.tensor([0, 2]),), y[:2])
    return out.sin()


def parts(y):
    a, b = y[:, :2], y[:, 2:]
    a *= 2
    for i in range(3):
        y[i].add_(1)
    return a * b + y[:, :2]


def masked(y):
    y.masked_fill_(torch.ones(3, 4, dtype=torch.bool).triu(), 0.5).clamp_(min=-0.5)
    return F.relu(y, inplace=True)


def given_out(y):
    with torch.no_grad():
        scale = torch.empty_like(y)
        torch.mul(y, 2, out=scale)
    return y * scale


def known(positions):
    steps = torch.arange(3)
    steps += 1
    if steps[0] == 1:
        positions = positions * 2
    return positions.zero_() + steps[:, None]


def data(y):
    z = y * 3
    z.data[1] = 2.0
    return y * 2


def apart(y):
    y[:, 1::2] = y[:, ::2] * 2
    y[::2, :3:2] += 1
    return y * y


RUNS = [added, quietly, into_view, view_sees, filled, through_reshape, put, parts, masked,
        given_out, known, data, apart]


@pytest.mark.parametrize("run", RUNS)
def test_it_computes_what_pytorch_does(run):
    found = compare_module(Written(run), X)
    assert not found.wrong, str(found)


def test_a_view_that_cannot_be_undone_is_refused_by_place():
    with pytest.raises(BadInput, match=r"test_inplace.py:\d+\) writes in place into"):
        compare_module(Written(lambda y: y.diagonal().mul_(2)), X)


def test_changed_buffers_are_effects():
    module = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).to("meta")
    run = record(module, {}, lambda m: m(X.to("meta")))
    assert run.effects == (
        ("1.num_batches_tracked", "aten.add"), ("1.running_mean", "aten.native_batch_norm"),
        ("1.running_var", "aten.native_batch_norm"),
    )  # fmt: skip


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return dy * x * 2


def test_a_function_with_a_backward_of_its_own_is_named_and_its_forward_read():
    found = compare_module(Written(lambda y: Squared.apply(y).sin()), X)
    assert not found.wrong, str(found)
    module = Written(Squared.apply).to("meta")
    assert record(module, {}, lambda m: m(X.to("meta"))).custom == (("", "Squared"),)


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_recomputed_block_computes_the_same(reentrant):
    from torch.utils.checkpoint import checkpoint

    found = compare_module(
        Written(lambda y: checkpoint(lambda z: z.sin() * z, y, use_reentrant=reentrant)), X
    )
    assert not found.wrong, str(found)


@pytest.mark.parametrize(("run", "why"), [
    (lambda y: torch.cdist(y, y), "cdist"), (torch.fft.rfft, "fft"),
    (lambda y: F.interpolate(y[None, None], size=(4, 7)), "no whole number"),
])  # fmt: skip
def test_what_is_not_understood_is_refused_by_name_and_line(run, why):
    with pytest.raises(BadInput, match=rf"aten.*test_inplace.py:\d+.*{why}|aten.*{why}.*test_i"):
        compare_module(Written(run), X)
