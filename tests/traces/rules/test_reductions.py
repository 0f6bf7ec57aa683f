"""What runs along axes: sums, statistics, extremes, softmax, and what adds up step by step."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.nn import functional as F  # noqa: E402, N812  # as everyone calls it

from tests.traces.rules.both_ways import IDS, X, check, refused  # noqa: E402

ROWS = {
    "sum": lambda m, x: x.sum(-1, keepdim=True) + x.sum(1, keepdim=True) + x.sum(),
    "sum of axes": lambda m, x: x.sum((0, 1)) + x.sum((0, 2), keepdim=True) * x,
    "mean": lambda m, x: x.mean((0, 1)) + x.mean() + x.mean(1)[:, None] * x,
    "var": lambda m, x: x.var(-1, keepdim=True) + x.var((1, 2), keepdim=True) + x.var(),
    "var, uncorrected": lambda m, x: x.var(1, unbiased=False) + torch.var(x, 2, correction=2).sum(),
    "std": lambda m, x: x.std(-1, unbiased=False, keepdim=True) * x + x.std(1, keepdim=True),
    "var_mean": lambda m, x: sum(torch.var_mean(x, dim=-1, keepdim=True)) * x,
    "std_mean": lambda m, x: sum(torch.std_mean(x, dim=1, keepdim=True)) * x,
    "amax": lambda m, x: x.amax((0, 1)) + x.amax(1, keepdim=True) * x + x.max(),
    "amin": lambda m, x: x.amin(-1, keepdim=True) * x + x.min(),
    "amax of ties": lambda m, x: x.relu().amax(-1) + x.clamp(max=0).amax(-1),
    "max along an axis": lambda m, x: x.max(-1, keepdim=True)[0] * x.max(1, keepdim=True)[0],
    "min along an axis": lambda m, x: x.min(1, keepdim=True)[0] * x + x.min(-1)[0][..., None],
    "where they stand": lambda m, x: (x.max(1)[1], x.argmax(-1), x.argmin(1), x.min(-1)[1], x * 1),
    "norm": lambda m, x: x.norm() + x.norm(dim=-1, keepdim=True) * x + F.normalize(x, dim=1),
    "other norms": lambda m, x: x.norm(p=1, dim=-1) + torch.linalg.vector_norm(x, torch.inf, -1),
    "logsumexp": lambda m, x: x.logsumexp(-1, keepdim=True) * x + torch.logsumexp(x, (0, 1)),
    "softmax": lambda m, x: x.softmax(-1) + x.softmax(1) * x + F.softmin(x, 0),
    "log_softmax": lambda m, x: x.log_softmax(-1) * x + F.log_softmax(x, 0),
    "cumsum": lambda m, x: x.cumsum(1) + x.cumsum(-1) * x + x.cumsum(0),
    "cumprod": lambda m, x: x.cumprod(1) * x,
    "logcumsumexp": lambda m, x: x.logcumsumexp(1) * x,
}  # fmt: skip


@pytest.mark.parametrize("run", ROWS.values(), ids=ROWS)
def test_is_what_pytorch_does(run):
    check(run, X)


def test_positions_are_counted_where_a_mask_is_true():
    check(lambda m, ids: m.E[(ids > 2).cumsum(1) % 5] * ids.ne(1).int().cumsum(-1)[..., None], IDS)


@pytest.mark.parametrize(("name", "why"), [
    ("prod", r"aten\.prod"), ("cummax", r"aten\.cummax"),
])  # fmt: skip
def test_what_has_no_rule_is_refused(name, why):
    refused(lambda m, x: getattr(torch, name)(x, 1), X, why=why)


def test_another_norm_is_refused():
    refused(lambda m, x: x.norm(p=3, dim=-1), X, why="a norm of order 3")
