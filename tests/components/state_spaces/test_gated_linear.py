"""The real-gated linear recurrent unit: counts by hand."""

import pytest

from symledger.components.state_spaces.gated_linear import RealGatedMixer, RealGatedRecurrence
from symledger.sizes import B, K, T, d, d_i, h
from tests.components.tables import Row, assert_row

TAPS = B * (T + K - 1) * K  # for each channel: padded on both sides, and cut off afterwards
BLOCKS = 2 * d_i**2 / h  # of both gates

# kept: x; both gates, the product of one with x, its share before and after the first token's,
# 8 times the other, e to its logarithm once and twice, the states; the rate
KEPT = B * T * 10 * d_i + d_i


@pytest.mark.parametrize(
    ("component", "row"),
    [
        # both biases, and how fast channels decay
        (RealGatedRecurrence(), Row(BLOCKS + 3 * d_i, 2 * B * T * BLOCKS, KEPT, (B, T, d_i))),
        # biases of two maps and of the convolution, and that of what leaves
        # kept: x; what is convolved, the gate before and after, the gated
        (RealGatedMixer(), Row(BLOCKS + 3 * d_i + 3 * d * d_i + 3 * d_i + d + K * d_i,
                               2 * B * T * (BLOCKS + 3 * d * d_i) + 2 * TAPS * d_i,
                               KEPT + B * T * (d + 4 * d_i), (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
