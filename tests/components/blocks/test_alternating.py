"""Streams of which a layer computes one: counts by hand."""

import pytest

from symledger.components.blocks.alternating import AlternatingUpdates
from symledger.sizes import B, T, d, d_ff, n_s
from tests.components.tables import Row, assert_row

NETWORK = 2 * d * d_ff
MIXED = n_s**2 * d
TOKENS = n_s * d * B * T


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (
            # kept: streams before and after their sum, what was not expected, two hidden values
            AlternatingUpdates(),
            Row(
                n_s**2 + NETWORK + d + d_ff + n_s,
                2 * B * T * (MIXED + NETWORK),
                2 * TOKENS + B * T * (d + 2 * d_ff),
                (n_s, B, T, d),
            ),
        ),
        (
            # routers keep what they normalize (a stream is in the streams), a statistic, both
            # products with the norm's weights, and numbers of each stream
            AlternatingUpdates(routed=True),
            Row(
                n_s**3 + n_s**2 + d * n_s + d + NETWORK + d + d_ff,
                2 * B * T * (MIXED + NETWORK + 2 * d * n_s + n_s**3 + n_s**2),
                2 * TOKENS + B * T * (6 * d + 2 * d_ff + n_s**2 + 3 * n_s + 2),
                (n_s, B, T, d),
            ),
        ),
    ],
)
def test_counts_of_streams(component, row):
    assert_row(component, row)
