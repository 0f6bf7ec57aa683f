"""Attention, kept whole: scales, masks, groups of heads, ranks, and what is kept."""

from fractions import Fraction

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.nn import functional as F  # noqa: E402, N812  # as everyone calls it
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402

from symledger.readings.pullback import pullback  # noqa: E402
from symledger.readings.saved import kept  # noqa: E402
from tests.traces.rules.both_ways import (  # noqa: E402
    HEADS,
    IDS,
    X,
    check,
    graph,
    numbers,
    refused,
    written,
)

attend = F.scaled_dot_product_attention


def future(q):
    T = q.size(2)
    return torch.full((T, T), float("-inf"), device=q.device, dtype=q.dtype).triu(1)


def seen(q, ids):
    return (ids[:, None, None, :] > 1) | torch.eye(ids.size(1), device=q.device).bool()


ROWS = {
    "plain": lambda m, q, ids: attend(q, q * 2, q * 3),
    "causal": lambda m, q, ids: attend(q, q * 2, q * 3, is_causal=True),
    "a scale": lambda m, q, ids: attend(q, q * 2, q * 3, scale=0.3),
    "fewer queries": lambda m, q, ids: attend(q[:, :, :2], q * 2, q * 3, is_causal=True),
    "fewer keys": lambda m, q, ids: attend(q, q[:, :, :2] * 2, q[:, :, :2] * 3, is_causal=True),
    "groups": lambda m, q, ids: attend(q, q[:, :2] * 2, q[:, 2:] * 3, enable_gqa=True),
    "repeated heads": lambda m, q, ids: attend(
        q, q[:, :2].repeat_interleave(2, 1), q[:, 2:].repeat_interleave(2, 1)),
    "a table": lambda m, q, ids: attend(q, q * 2, q * 3, attn_mask=future(q)),
    "a mask of truths": lambda m, q, ids: attend(q, q * 2, q * 3, attn_mask=seen(q, ids)),
    "a mask of heads": lambda m, q, ids: attend(
        q, q[:, :2], q[:, 2:], attn_mask=seen(q, ids).expand(-1, 4, -1, -1), enable_gqa=True),
    "a mask with a gradient": lambda m, q, ids: attend(
        q, q * 2, q * 3, attn_mask=m.v[:1] * q[..., :1].transpose(2, 3)),
    "biases of positions": lambda m, q, ids: attend(
        q, q * 2, q * 3, attn_mask=m.v[0] * future(q).isinf()),
}  # fmt: skip
BY_PRODUCTS = {
    "three axes": (X, lambda m, x: attend(x, x * 2, x * 3, is_causal=True)),
    "a mask": (X, lambda m, x: attend(x, x * 2, x * 3, attn_mask=future(x[:, None]))),
    "five axes": (HEADS, lambda m, q: attend(q[None], q[None] * 2, q[None] * 3)),
    "one example": (HEADS, lambda m, q: attend(q[:1] * 4, q * 2, q * 3)),
    "one head": (HEADS, lambda m, q: attend(q, q[:, :1] * 2, q[:, 1:2] * 3)),
}  # fmt: skip
"""What no fused kernel takes."""


@pytest.mark.parametrize("run", ROWS.values(), ids=ROWS)
def test_is_pytorchs_with_one_product_more_on_the_way_back(run):
    check(run, HEADS, IDS, fused=Fraction(1, 2))


def test_wider_values():
    check(lambda m, q: attend(q, q * 2, torch.cat([q, q * 3], -1)), HEADS, fused=Fraction(1, 3))


@pytest.mark.parametrize(("entering", "run"), BY_PRODUCTS.values(), ids=BY_PRODUCTS)
def test_what_no_fused_kernel_takes_is_pytorchs_product_by_product(entering, run):
    check(run, entering)
    assert not any(node.operation == "attention" for node in graph(run, entering).nodes)


def test_kernels_that_are_switched_off_take_nothing():
    def run(m, q):
        with sdpa_kernel(SDPBackend.MATH):
            return attend(q, q * 2, q * 3)

    check(run, HEADS)


def test_dropout_that_no_kernel_draws_is_refused():
    refused(lambda m, x: attend(x, x, x, dropout_p=0.1), X, why="no fused kernel takes")


def test_dropout_is_drawn_again_and_not_kept():
    def run(m, q):
        return attend(q, q * 2, q * 3, dropout_p=0.1)

    numbers(run, HEADS)
    held = kept(pullback(written(run, HEADS)))
    assert all(t.storage != "mask" for t in held.roots)


def test_only_is_causal_says_which_pairs_count():
    for run, pairs in (("causal", True), ("a table", False)):
        assert written(ROWS[run], HEADS, IDS).masks is pairs


def test_dropout_of_everything_is_refused():
    refused(lambda m, q: attend(q, q, q, dropout_p=1.0), HEADS, why="dropout of everything")
