"""Masks: comparisons, logic, and choices by them."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from tests.traces.rules.both_ways import IDS, X, check, numbers, refused, written  # noqa: E402


def weighted(mask, x):
    return mask.to(x.dtype)[..., None] * x


def tables(x):
    return torch.ones(x.size(1), x.size(2), dtype=torch.bool, device=x.device).tril()


ROWS = {
    "eq": lambda m, x, ids: weighted(ids == 1, x), "ne": lambda m, x, ids: weighted(ids != 1, x),
    "lt": lambda m, x, ids: weighted(ids < 2, x), "le": lambda m, x, ids: weighted(ids <= 2, x),
    "gt": lambda m, x, ids: weighted(ids > 2, x), "ge": lambda m, x, ids: weighted(ids >= 2, x),
    "of two tensors": lambda m, x, ids: (x > m.v) * x + (x <= m.v) * m.v + (x == x) * x,
    "bitwise": lambda m, x, ids: weighted((ids > 1) & (ids <= 3) | ~(ids >= 4) ^ (ids == 2), x),
    "logical": lambda m, x, ids: weighted(torch.logical_and(ids, ids > 1).logical_not(), x),
    "logical xor": lambda m, x, ids: weighted(torch.logical_xor(ids, ids > 1), x),
    "where": lambda m, x, ids: torch.where(x > 0, x, m.v) + torch.where(x.detach() > 0, x, -x),
    "where, a number": lambda m, x, ids: torch.where(x > m.v, 1.0, x) + x.where(x < 0, 0.0),
    "masked_fill": lambda m, x, ids: x.masked_fill((ids > 2)[..., None], -5.0),
    "masked_fill, a tensor": lambda m, x, ids: x.masked_fill(ids[..., None] == 0, m.v.sum()),
    "masked_fill by a table": lambda m, x, ids: x.masked_fill(tables(x), float("-inf")).exp(),
    "any": lambda m, x, ids: weighted((ids > 1).any(1, keepdim=True), x) + ids.bool().any() * x,
    "all": lambda m, x, ids: weighted((ids > 0).all(-1, keepdim=True), x) + ids.bool().all() * x,
    "tril": lambda m, x, ids: x.tril() + x.triu(1) * x + x.tril(-1),
    "one_hot": lambda m, x, ids: torch.nn.functional.one_hot(ids, 5).to(x.dtype) * x[..., :1],
    "padding": lambda m, x, ids: (x * (ids != 0)[..., None]).sum(1) / (ids != 0).sum(1)[:, None],
}  # fmt: skip


@pytest.mark.parametrize("run", ROWS.values(), ids=ROWS)
def test_is_what_pytorch_does(run):
    check(run, X, IDS)


def test_a_comparison_with_infinity_is_refused():
    refused(lambda m, x: (x == float("-inf")) * x, X, why=r"aten\.eq .* infinity")


def test_bits_are_refused():
    refused(lambda m, x, ids: (ids & 1)[..., None] * x, X, IDS, why=r"bits of whole numbers")


@pytest.mark.parametrize("run", [
    lambda m, x: x[:, torch.arange(x.size(1), device=x.device) < 2] * m.v,
    lambda m, x: (x @ x.mT)[:, tables(x @ x.mT)] * 2,
])  # fmt: skip
def test_what_a_table_of_truths_picks_is_known(run):
    numbers(run, X)
    assert written(run, X).outputs


def test_what_a_mask_picks_is_refused():
    refused(lambda m, x: x[x > 0], X, why="depends on data")
