"""Compressed keys: counts by hand."""

import pytest

from symledger import derive
from symledger.components.attention.compressed import CompressedKeys
from symledger.errors import BadInput
from symledger.sizes import B, S_c, T, d, d_k, r_c
from tests.components.tables import Row, assert_row


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


def test_what_is_left_over_of_groups_is_remembered():
    """Keys of 3 groups, and of 2 positions what both maps say."""
    sizes = {"B": 1, "d": 4, "d_k": 5, "d_rot": 2, "r_c": 4, "T": 14}
    assert derive("compressed_keys", sizes)["memory.kv_cache"].value == 4 * 5 * (3 + 2 * 2)
    sizes = {**sizes, "overlapping": True}  # of the last group what the next key needs as well
    whole = 4 * 5 * (3 + 2 * 2 * 2 + 2 * 4)
    assert derive("compressed_keys", sizes)["memory.kv_cache"].value == whole


def test_a_text_that_fills_no_group_is_refused():
    with pytest.raises(BadInput, match="S_c"):
        derive("compressed_keys", {"T": 3, "r_c": 4})
