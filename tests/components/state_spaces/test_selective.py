"""Selective state spaces: counts by hand."""

import pytest

from symledger.components.state_spaces.selective import (
    CausalConvolution,
    MambaMixer,
    SelectiveScan,
)
from symledger.sizes import B, C, K, T, d, d_i, d_r, d_s
from tests.components.tables import Row, assert_row

TAPS = B * (T + K - 1) * K  # for each channel: padded on both sides, and cut off afterwards
SCAN = 2 * B * T * d_i * d_s  # the state, read at every step
WEIGHTS = 3 * d * d_i + d_i * (d_r + 2 * d_s) + d_r * d_i  # in and out, what is chosen, the steps
# x; decays, what dt and B give, states; what enters and leaves the convolution and both gates:
# both halves, the convolved, u, what enters softplus, dt, the scanned, the gate, the gated
KEPT = B * T * (d + 3 * d_i * d_s + 9 * d_i + d_r + 2 * d_s) + 2 * d_i * d_s


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (CausalConvolution(), Row(C * K + C, 2 * TAPS * C, B * T * C, (B, T, C))),
        (CausalConvolution(bias=False), Row(C * K, 2 * TAPS * C, B * T * C, (B, T, C))),
        # kept: decays, what dt and B give, states; x, dt, B, C; A and exp of its logarithm
        (SelectiveScan(), Row(d_i * d_s + d_i, SCAN,
                              B * T * (3 * d_i * d_s + 2 * d_i + 2 * d_s) + 2 * d_i * d_s,
                              (B, T, d_i))),
        # biases of the convolution and of the steps, D, and A
        (MambaMixer(), Row(WEIGHTS + K * d_i + 3 * d_i + d_i * d_s,
                           2 * B * T * WEIGHTS + 2 * TAPS * d_i + SCAN, KEPT, (B, T, d))),
        # each of three parts once more, and its statistic
        (MambaMixer(normed=True), Row(WEIGHTS + K * d_i + 3 * d_i + d_i * d_s,
                                      2 * B * T * WEIGHTS + 2 * TAPS * d_i + SCAN,
                                      KEPT + B * T * (d_r + 2 * d_s + 3), (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
