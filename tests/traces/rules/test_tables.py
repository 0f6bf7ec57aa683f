"""What is picked by whole numbers, and put back by them."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.nn import functional as F  # noqa: E402, N812  # as everyone calls it

from tests.traces.rules.both_ways import IDS, X, check, refused  # noqa: E402


def rows(x):
    return torch.arange(x.size(0), device=x.device)


def wide(index, x):
    return (index % 3).unsqueeze(-1).expand(-1, -1, x.size(2))


ROWS = {
    "embedding": lambda m, x, ids: F.embedding(ids, m.E) * x,
    "embedding with padding": lambda m, x, ids: F.embedding(ids, m.E, padding_idx=1) * x,
    "rows of a weight": lambda m, x, ids: m.E[ids] + m.E[ids[:, 0]].sum() * x,
    "index_select": lambda m, x, ids: x.index_select(2, torch.tensor([0, 1], device=x.device)),
    "gather": lambda m, x, ids: x.gather(2, (ids % 2).unsqueeze(-1)) * x,
    "gather of rows": lambda m, x, ids: x.gather(1, wide(ids, x)) * x,
    "gather of fewer": lambda m, x, ids: x.gather(1, wide(ids, x)[:1, :2]) * 2,
    "take_along_dim": lambda m, x, ids: torch.take_along_dim(x, (ids % 2).unsqueeze(-1), 2),
    "one axis": lambda m, x, ids: (x[:, ids[0] % 3], x[:, :, ids[0] % 2], m.E[..., ids % 2] * 2),
    "two axes": lambda m, x, ids: x[rows(x)[:, None], ids % 3] * 2 + m.E[ids, ids % 2].sum(),
    "counted from the end": lambda m, x, ids: x[rows(x), -1] * 2,
    "axes apart": lambda m, x, ids: x[rows(x)[:, None], :, ids % 2] * 2,
    "scatter_add": lambda m, x, ids: x.scatter_add(1, wide(ids, x), x * m.v),
    "scatter_add to zeros": lambda m, x, ids: torch.zeros_like(x).scatter_add(
        2, (ids % 2).unsqueeze(-1), x[..., :1]),
    "scatter": lambda m, x, ids: x.scatter(2, (ids % 2).unsqueeze(-1), x[..., :1] * 2) * x,
    "scatter of a number": lambda m, x, ids: x.scatter(2, (ids % 2).unsqueeze(-1), -1.0) * x,
    "index_add": lambda m, x, ids: m.E.index_add(0, ids.flatten(), x.flatten(0, 1), alpha=0.5),
    "index_copy": lambda m, x, ids: x.index_copy(
        2, torch.tensor([1], device=x.device), x[..., :1] * 3) * x,
    "index_fill": lambda m, x, ids: x.index_fill(1, torch.tensor([1], device=x.device), 3.0) * x,
    "index_put": lambda m, x, ids: x.index_put((torch.tensor([1, 0], device=x.device),), m.v) * x,
    "index_put, added": lambda m, x, ids: m.E.index_put((ids,), x, accumulate=True) * 2,
    "index_put by a mask": lambda m, x, ids: x.index_put(
        (ids > 2,), torch.tensor(2.0, dtype=x.dtype, device=x.device)) * x,
    "topk": lambda m, x, ids: x.topk(2, -1)[0] * 2 + x.topk(2, 1)[0].sum(),
    "topk and gather": lambda m, x, ids: x.gather(2, x.topk(2, -1)[1]) * 2,
    "sort": lambda m, x, ids: x.sort(-1)[0] * x + x.sort(1, descending=True)[0],
    "argsort": lambda m, x, ids: (x.argsort(-1), x * 2),
    "kthvalue": lambda m, x, ids: x.kthvalue(2, -1)[0] * 2 + x.median(1, keepdim=True)[0].sum(),
    "bags": lambda m, x, ids: F.embedding_bag(ids, m.E) + F.embedding_bag(ids, m.E, mode="sum"),
    "largest of bags": lambda m, x, ids: F.embedding_bag(ids, m.E, mode="max") * 2,
    "weighted bags": lambda m, x, ids: F.embedding_bag(
        ids, m.E, mode="sum", per_sample_weights=x[..., 0]),
}  # fmt: skip


@pytest.mark.parametrize("run", ROWS.values(), ids=ROWS)
def test_is_what_pytorch_does(run):
    check(run, X, IDS)


def test_bags_of_different_lengths_are_refused():
    refused(lambda m, ids: F.embedding_bag(ids.flatten(), m.E, torch.tensor([0, 2])), IDS,
            why="bags of different lengths")  # fmt: skip


def test_the_median_of_all_is_refused():
    refused(lambda m, x: x.median() * x, X, why="say along which axis")
