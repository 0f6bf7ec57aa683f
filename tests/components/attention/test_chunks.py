"""Attention inside chunks: counts by hand, and which pairs are charged."""

import pytest

from symledger import derive
from symledger.components.attention.chunks import ChunkAttention
from symledger.sizes import B, S, T, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_row

MIXED = 2 * B * T * S * h * (d_k + d_v)
KEPT = B * T * h * d_k + B * S * h_kv * (d_k + d_v) + B * h * T * S


def test_counts():
    assert_row(ChunkAttention(), Row(0, MIXED, KEPT, (B, T, h, d_v)))


@pytest.mark.parametrize(("length", "pairs"), [(3, 6), (4, 10), (10, 23), (12, 30)])
def test_chunks_of_four_are_charged_exactly(length, pairs):
    """10 positions are two chunks of 10 pairs, and one of 3."""
    sizes = {"T": length, "Q": 4, "B": 1, "h": 1, "d_k": 1}
    account = derive("chunk_attention", sizes, causal="exact")
    assert account.flops_forward.value == 4 * pairs
