"""Contractions: products of matrices and vectors, and einsum of any number of tensors."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from symledger.readings.flops import contraction_flops  # noqa: E402
from tests.traces.rules.both_ways import X, check, numbers, refused, written  # noqa: E402

PRODUCTS = {
    "tensordot": lambda m, x: torch.tensordot(x, m.E, dims=([2], [1])),
    "inner": lambda m, x: torch.inner(x, m.E), "outer": lambda m, x: torch.outer(x[0, 0], m.v),
    "kron": lambda m, x: torch.kron(m.v, m.v * 2),
    "addmm": lambda m, x: torch.addmm(m.v, m.E, m.E[:-1]),
    "bmm": lambda m, x: torch.bmm(x, x.transpose(1, 2)),
    "baddbmm": lambda m, x: torch.baddbmm(x[:, :, :1], x, x.transpose(1, 2), beta=0.5, alpha=2.0),
    "broadcast": lambda m, x: x[:, None] @ x.transpose(1, 2)[None],
}  # fmt: skip
OF_VECTORS = {
    "dot": lambda m, x: torch.dot(m.v, m.v * 2), "mv": lambda m, x: torch.mv(m.E, m.v),
    "vector last": lambda m, x: x @ m.v, "vector first": lambda m, x: m.v @ x.transpose(1, 2),
}  # fmt: skip
EINSUMS = {
    "bid,bjd->bij": lambda m, x: (x, x * 2), "bid,ed->bie": lambda m, x: (x, m.E),
    "...d,ed->...e": lambda m, x: (x, m.E), "bid,d->bi": lambda m, x: (x, m.v),
    "bid,d->bid": lambda m, x: (x, m.v), "bid->bd": lambda m, x: (x,),
    "bid->bdi": lambda m, x: (x,), "bi,bj->bij": lambda m, x: (x[:, 0], x[:, 1]),
    "bid,bjd,jk->bik": lambda m, x: (x, x * 2, x[0]), "bid,ed": lambda m, x: (x, m.E),
    "bid,bjk->bd": lambda m, x: (x, x * 2), "i,i->": lambda m, x: (m.v, m.v * 2),
    "bij,kj,kl,bl->bi": lambda m, x: (x, m.E, m.E, x[:, 0]),
    "nhwp,c->nchpw": lambda m, x: (x[:, :, None], m.v * 2),
    "... i d, ... j d -> ... i j": lambda m, x: (x, x[:1] * 2),
    "b i d , d -> b": lambda m, x: (x, m.v),
}  # fmt: skip


@pytest.mark.parametrize("run", PRODUCTS.values(), ids=PRODUCTS)
def test_products_are_pytorchs(run):
    check(run, X)


@pytest.mark.parametrize("run", OF_VECTORS.values(), ids=OF_VECTORS)
def test_products_of_vectors_are_contractions_though_pytorchs_counter_is_silent(run):
    numbers(run, X)
    assert contraction_flops(written(run, X)).total != 0


@pytest.mark.parametrize("pattern", EINSUMS)
def test_einsum_is_pytorchs(pattern):
    check(lambda m, x: torch.einsum(pattern, *EINSUMS[pattern](m, x)), X)


def test_operands_may_come_in_a_list():
    check(lambda m, x: torch.einsum("bid,ed->bie", [x, m.E]), X)


def test_a_diagonal_is_refused():
    refused(lambda m, x: torch.einsum("bii->bi", x @ x.transpose(1, 2)), X, why="a diagonal in")
