"""Compressed keys, and attention with a shared key: counts by hand."""

import pytest

from symledger import derive
from symledger.components.attention.compressed import CompressedKeys
from symledger.components.attention.shared_key import SharedKeyAttention
from symledger.errors import BadInput
from symledger.sizes import B, G, S_c, T, d, d_k, d_q, d_r, d_x, h, n_i, r_c
from tests.components.tables import Row, assert_counts, assert_row


@pytest.mark.parametrize("overlapping", [False, True])
def test_compressed_keys(overlapping):
    """Kept: what enters; of each place in a group a value and a weight, of two groups where these
    overlap; what was pooled, with a statistic. Values are copied where groups overlap alone."""
    times = 2 if overlapping else 1
    values = 2 * S_c * r_c * d_k if overlapping else T * d_k
    kept = T * d + values + times * S_c * r_c * d_k + S_c * (d_k + 1)
    assert_row(CompressedKeys(overlapping=overlapping), Row(
        times * (2 * d * d_k + r_c * d_k) + d_k, 4 * times * B * T * d * d_k, B * kept,
        (B, S_c, d_k),
    ))  # fmt: skip


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


def test_what_is_left_over_of_groups_is_remembered():
    """Keys of 3 groups, and of 2 positions what both maps say."""
    sizes = {"B": 1, "d": 4, "d_k": 5, "d_rot": 2, "r_c": 4, "T": 14}
    assert derive("compressed_keys", sizes)["memory.kv_cache"].value == 4 * 5 * (3 + 2 * 2)
    sizes = {**sizes, "overlapping": True}  # of the last group what the next key needs as well
    whole = 4 * 5 * (3 + 2 * 2 * 2 + 2 * 4)
    assert derive("compressed_keys", sizes)["memory.kv_cache"].value == whole


def test_a_text_that_fills_no_group_is_refused():
    with pytest.raises(BadInput, match="S_c"):
        derive("shared_key_attention", {"T": 3, "r_c": 4})
