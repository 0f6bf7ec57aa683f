"""Differential attention: counts by hand."""

from symledger.components.attention.differential import DifferentialAttention
from symledger.sizes import B, S, T, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_row

BOTH_RUNS = 4 * B * T * S * h * (d_k + d_v)
SEEN = B * T * h * d_k + B * S * h_kv * (d_k + 2 * d_v) + 2 * B * h * T * S
"""Queries and keys; values, half of them twice over for either run; the weights of both runs."""
JOINED = 2 * B * T * h * d_v
NORMALIZED = B * T * h * d_v + B * T * h / 2
"""What is left of each pair, as wide as two heads, and a root for each."""
EXPONENTIALS = 3
"""Two exponentials, and the share that is made of them."""


def test_counts():
    row = Row(4 * d_k, BOTH_RUNS, SEEN + JOINED + NORMALIZED + EXPONENTIALS, (B, T, h, d_v))
    assert_row(DifferentialAttention(), row)
