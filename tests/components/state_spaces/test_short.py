"""Short convolutions behind gates: counts by hand."""

import pytest

from symledger.components.state_spaces.short import ShortConvolution
from symledger.sizes import B, K, T, d
from tests.components.tables import Row, assert_row

TAPS = B * (T + K - 1) * K  # for each channel: padded on both sides, and cut off afterwards


@pytest.mark.parametrize(
    ("component", "row"),
    [
        # kept: x; what is mapped, what is gated, the convolved beyond the end, and gated again
        (ShortConvolution(), Row(4 * d**2 + K * d, 8 * B * T * d**2 + 2 * TAPS * d,
                                 B * (7 * T + K - 1) * d, (B, T, d))),
        # three biases of what enters, that of the convolution, that of what leaves
        (ShortConvolution(bias=True), Row(4 * d**2 + K * d + 5 * d,
                                          8 * B * T * d**2 + 2 * TAPS * d,
                                          B * 7 * T * d, (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
