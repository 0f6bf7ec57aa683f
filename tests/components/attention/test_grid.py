"""Attention among the places of a grid: what it learns and does, counted by hand."""

from symledger.components.attention.grid import GridAttention
from symledger.sizes import B, H_p, W_p, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_row

T = H_p * W_p
WAYS = (2 * H_p - 1) * (2 * W_p - 1)


def test_a_grid_has_a_number_for_each_way():
    kept = B * T * (h * d_k + h_kv * (d_k + d_v)) + B * h * T**2
    row = Row(WAYS * h, 2 * B * T**2 * h * (d_k + d_v), kept, (B, T, h, d_v))
    assert_row(GridAttention(), row)
