"""Attention whose queries say how much distances count, counted by hand."""

from symledger.components.attention.content_relative import ContentRelativeAttention
from symledger.sizes import B, S, T, d_k, d_rel, d_v, h, n_r
from tests.components.tables import assert_counts


def test_each_query_makes_a_number_of_every_distance():
    profiles = 2 * B * T * h * d_rel * n_r
    assert_counts(
        ContentRelativeAttention(), n_r * d_rel, profiles + 2 * B * T * S * h * (d_k + d_v)
    )
