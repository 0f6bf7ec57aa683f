"""Attention with vectors for rows and columns between places, counted by hand."""

from symledger.components.attention.decomposed import DecomposedAttention
from symledger.sizes import B, H_p, W_p, d_k, d_v, h
from tests.components.tables import assert_counts

T = H_p * W_p


def test_positions_are_products_with_as_many_vectors_as_rows_and_columns():
    weights = (2 * H_p - 1 + 2 * W_p - 1) * d_k
    places = 2 * B * T * h * d_k * (H_p + W_p)
    assert_counts(DecomposedAttention(), weights, places + 2 * B * T**2 * h * (d_k + d_v))
