"""Transformer blocks: the sums of their parts."""

import pytest

from symledger.components.blocks.blocks import (
    ParallelBlock,
    PostLNBlock,
    PreLNBlock,
    ReorderedBlock,
    SandwichBlock,
)
from symledger.sizes import B, T, d, d_ff, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_row

ATTENTION = d * h * d_k + d * h_kv * (d_k + d_v) + h * d_v * d
ATTENTION_BIASES = h * d_k + h_kv * (d_k + d_v) + d
FEED, FEED_BIASES = 2 * d * d_ff, d + d_ff
PAIRS = 2 * B * T**2 * h * (d_k + d_v)
OUT = (B, T, d)
HEADS = B * T * (h * d_k + h_kv * (d_k + d_v) + h * d_v)
MIDDLE = 4 * B * T * d + HEADS  # x, two norms' results, the middle; q, k, v and what they give


@pytest.mark.parametrize(
    ("block", "row"),
    [
        (
            PreLNBlock(),
            Row(
                ATTENTION + ATTENTION_BIASES + FEED + FEED_BIASES + 4 * d,
                2 * B * T * (ATTENTION + FEED) + PAIRS,
                MIDDLE + B * h * T**2 + 2 * B * T * d_ff + 4 * B * T,
                OUT,
            ),
        ),
        (
            PreLNBlock(norm="rms", bias=False, flash=True),
            Row(
                ATTENTION + FEED + 2 * d,
                2 * B * T * (ATTENTION + FEED) + PAIRS,
                MIDDLE + B * h * T + 2 * B * T * d_ff + 2 * B * T,
                OUT,
            ),
        ),
        (
            PreLNBlock(norm="rms", bias=False, gated=True, activation="silu"),
            Row(
                ATTENTION + 3 * d * d_ff + 2 * d,
                2 * B * T * (ATTENTION + 3 * d * d_ff) + PAIRS,
                MIDDLE + B * h * T**2 + 4 * B * T * d_ff + 2 * B * T,
                OUT,
            ),
        ),
        (
            PreLNBlock(dropout=True),
            Row(
                ATTENTION + ATTENTION_BIASES + FEED + FEED_BIASES + 4 * d,
                2 * B * T * (ATTENTION + FEED) + PAIRS,
                MIDDLE + 3 * B * h * T**2 + 2 * B * T * d_ff + 4 * B * T + 2 * B * T * d,
                OUT,
            ),
        ),
        (
            PostLNBlock(),
            Row(
                ATTENTION + ATTENTION_BIASES + FEED + FEED_BIASES + 4 * d,
                2 * B * T * (ATTENTION + FEED) + PAIRS,
                MIDDLE + B * h * T**2 + 2 * B * T * d_ff + 4 * B * T,
                OUT,
            ),
        ),
        (  # one norm instead of two: its weights, its statistics, what it gives; and no middle
            ParallelBlock(),
            Row(
                ATTENTION + ATTENTION_BIASES + FEED + FEED_BIASES + 2 * d,
                2 * B * T * (ATTENTION + FEED) + PAIRS,
                2 * B * T * d + HEADS + B * h * T**2 + 2 * B * T * d_ff + 2 * B * T,
                OUT,
            ),
        ),
        (
            ParallelBlock(two_norms=True, norm="layer_plain"),
            Row(
                ATTENTION + ATTENTION_BIASES + FEED + FEED_BIASES,
                2 * B * T * (ATTENTION + FEED) + PAIRS,
                3 * B * T * d + HEADS + B * h * T**2 + 2 * B * T * d_ff + 4 * B * T,
                OUT,
            ),
        ),
        (  # two norms more than before the parts: their weights, statistics and inputs
            SandwichBlock(),
            Row(
                ATTENTION + ATTENTION_BIASES + FEED + FEED_BIASES + 8 * d,
                2 * B * T * (ATTENTION + FEED) + PAIRS,
                MIDDLE + 2 * B * T * d + B * h * T**2 + 2 * B * T * d_ff + 8 * B * T,
                OUT,
            ),
        ),
        (
            ReorderedBlock(norm="rms", bias=False, gated=True, activation="silu"),
            Row(
                ATTENTION + 3 * d * d_ff + 2 * d,
                2 * B * T * (ATTENTION + 3 * d * d_ff) + PAIRS,
                MIDDLE + B * h * T**2 + 4 * B * T * d_ff + 2 * B * T,
                OUT,
            ),
        ),
    ],
    ids=repr,
)
def test_blocks(block, row):
    assert_row(block, row)
