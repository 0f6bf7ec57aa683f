"""Attention with a shared key: counts by hand."""

import pytest

from symledger.components.attention.shared_key import SharedKeyAttention
from symledger.sizes import B, G, S_c, T, d, d_k, d_q, d_r, d_x, h, n_i, r_c
from tests.components.tables import assert_counts

OWN = d * d_q + d_q * h * d_k + d * d_k + h * d_k * d_r + G * d_r * d
FAR = {
    "none": (0, 0, 0),
    "pooled": (2 * d * d_k, r_c * d_k + d_k, S_c),
    "chosen": (
        4 * d * d_k + 4 * d * d_x + d_q * n_i * d_x + d * n_i,
        2 * r_c * d_k + d_k + 2 * r_c * d_x + d_x, S_c,
    ),
}  # fmt: skip
"""Maps, other weights and keys beyond the window."""


@pytest.mark.parametrize("far", FAR)
def test_shared_key_attention(far):
    """Pairs of the indexer are T·S_c products of d_x numbers for each of its heads."""
    maps, others, keys = FAR[far]
    pairs = 4 * h * d_k * (T + keys) + (2 * n_i * d_x * S_c if far == "chosen" else 0)
    assert_counts(
        SharedKeyAttention(far=far), OWN + maps + d_q + d_k + h + others,
        2 * B * T * (OWN + maps) + B * T * pairs,
    )  # fmt: skip
