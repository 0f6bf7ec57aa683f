"""Lightning attention: counts by hand."""

import pytest

from symledger.components.state_spaces.lightning import LightningAttention
from symledger.sizes import B, Q, T, d, d_k, h, n_c
from tests.components.tables import Row, assert_row

WIDTH = h * d_k
WEIGHTS = 5 * d * WIDTH + WIDTH
STATE = B * h * d_k**2
MAPS = 10 * B * T * d * WIDTH
REST = T - (n_c - 1) * Q  # tokens of the last block, which is not filled up
PAIRS = B * h * ((n_c - 1) * Q**2 + REST**2)
# kept: x; what goes through the SiLU; what is read and its statistic; the normed, the gate, the
# gated; queries, keys and values, each as it is multiplied with pairs
MAPPED = B * T * (d + 3 * WIDTH + WIDTH + 1 + 3 * WIDTH + 3 * WIDTH)


@pytest.mark.parametrize(
    ("component", "row"),
    [
        # pairs of all blocks, the memory read and written; beside what was mapped: pairs, queries
        # of all blocks but the first, and keys and values of all but the last; memories
        (LightningAttention(), Row(
            WEIGHTS, MAPS + 4 * PAIRS * d_k + 4 * T * STATE,
            MAPPED + PAIRS + (T - Q + 2 * (n_c - 1) * Q) * B * WIDTH + (n_c - 1) * STATE,
            (B, T, d))),
        (LightningAttention(one=True), Row(
            WEIGHTS, MAPS + 4 * B * h * T**2 * d_k + 4 * T * STATE, MAPPED + B * h * T**2,
            (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
