"""Views, and what is cut out of tensors, laid around them, or put together of them."""

import pytest
from sympy import Integer

from symledger.traces.rules.table import At
from symledger.traces.rules.views import Pieces

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.nn import functional as F  # noqa: E402, N812  # as everyone calls it

from tests.traces.rules.both_ways import X, check  # noqa: E402


def squares(x):
    return x.transpose(1, 2) @ x


ROWS = {
    "view": lambda m, x: x.view(x.size(0), x.size(1), 2, -1).transpose(2, 3).flatten(2),
    "reshape": lambda m, x: x.reshape(x.size(0), -1).view_as(x) * x,
    "crossed": lambda m, x: x.repeat(1, 1, 2).unflatten(2, (3, 4)).reshape(*x.shape[:2], 2, 6),
    "unflatten": lambda m, x: x.repeat(1, 1, 3).unflatten(2, (3, -1)).movedim(-1, 2).flatten(2),
    "swapped": lambda m, x: x.mT.mT + x.swapaxes(0, 1).swapaxes(0, 1) * 2,
    "permuted": lambda m, x: x.permute(2, 0, 1).sum(0) * 2,
    "squeezed": lambda m, x: x.unsqueeze(1).squeeze(1) + x[None, ..., None].squeeze(),
    "expanded": lambda m, x: x.expand(2, -1, -1, -1).sum(0) + m.v.expand_as(x) * x,
    "broadcast": lambda m, x: m.v.broadcast_to(x.shape) * 2 + x,
    "slices": lambda m, x: (x[..., 1:-1], x[:, -1], x[:, :1] * x, x[:, -2:], x[0], x[-1:, ...]),
    "every other": lambda m, x: torch.stack((-x.repeat(1, 1, 2)[..., 1::2], x), -1).flatten(-2),
    "every third": lambda m, x: (x[:, ::3], x[:, 1::3] * 2),
    "split": lambda m, x: sum(torch.cat([x, x * 2], -1).split(x.size(2), dim=-1)),
    "split in sizes": lambda m, x: x.split([1, x.size(2) - 1], -1)[1] * x[..., :1],
    "chunk": lambda m, x: sum(torch.cat([x, x * 2, -x], -1).chunk(3, dim=-1)),
    "unbind": lambda m, x: sum(x[:, :2].unbind(1)),
    "cat": lambda m, x: (torch.cat([x, x * 3], 0), torch.hstack((x, x)), torch.vstack((x, x))),
    "stack": lambda m, x: (torch.stack([x, x * 2], 1), torch.stack([x, x], -1)),
    "rotated halves": lambda m, x: torch.cat([-x.repeat(1, 1, 2)[..., x.size(2):], x], -1),
    "pad": lambda m, x: (F.pad(x, (1, 2)), F.pad(x, (0, 0, 1, 0)), F.pad(x, (0, 0, 0, 0, 0, 1))),
    "pad and cut": lambda m, x: (F.pad(x, (-1, 1)), F.pad(x, (1, 2, -1, 0), value=2.0)),
    "roll": lambda m, x: x.roll(1, 1) * x + x.roll((1, -1), (1, 2)) + torch.roll(x, -1, -1),
    "roll of all": lambda m, x: x.roll(2) * x,
    "flip": lambda m, x: x.flip(0) * x + x.flip((1, 2)),
    "repeat": lambda m, x: (x.repeat(2, 1, 3), x.repeat(2, 1, 1, 1), m.v.repeat(2), x.tile(1, 2)),
    "repeat_interleave": lambda m, x: x.repeat_interleave(2, dim=1),
    "unfold": lambda m, x: (x.unfold(1, 2, 2), x.unfold(2, 2, 1).sum(-1)),
    "diagonal": lambda m, x: squares(x).diagonal(dim1=1, dim2=2) * 2,
    "other diagonals": lambda m, x: (squares(x).diagonal(1, 1, 2), squares(x).diagonal(-1, 1, 2)),
}  # fmt: skip


@pytest.mark.parametrize("run", ROWS.values(), ids=ROWS)
def test_is_what_pytorch_does(run):
    check(run, X)


def test_the_rows_of_an_expert_that_gets_none_are_cut_to_an_end():
    nothing = [Integer(0), Integer(2)]
    left, right = Pieces(At("aten.view", (), "", "")).both(nothing, nothing)
    assert left == right == [("_0",), ("_1",)]
