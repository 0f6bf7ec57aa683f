"""The state-space dual form: counts by hand, in chunks and between them."""

import pytest

from symledger.components.state_spaces.dual import Mamba2Mixer, StateSpaceDual
from symledger.sizes import B, G, K, Q, T, d, d_h, d_s, h, n_c
from tests.components.tables import Row, assert_row

STATE = B * h * d_h * d_s
PAIRS = B * n_c * Q**2 * h
# scores and what they mix; each chunk's last state and what is read of its first; states passed on
SCAN = 2 * PAIRS * (d_s + d_h) + 4 * n_c * Q * STATE + 2 * (n_c + 1) ** 2 * STATE
# scores, decays and their product; what is read, inputs on their way to the end, two decays each;
# states at the ends and beginnings of chunks, decays between chunks; A and exp of its logarithm
CHUNKS = (
    3 * PAIRS + B * n_c * Q * h * (d_h + d_s + 2)
    + 2 * (n_c + 1) * STATE + B * h * (n_c + 1) ** 2 + 2 * h
)  # fmt: skip
# x times dt, input and reading vectors of all heads, what enters softplus and dt
TOKENS = B * T * h * (d_h + 2 * d_s + 2)
INNER, MIXED = h * d_h, h * d_h + 2 * G * d_s
WIDE = INNER + MIXED + h


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (StateSpaceDual(), Row(3 * h, SCAN, CHUNKS + TOKENS + B * T * INNER, (B, T, h, d_h))),
        # the convolution and its bias; dt's bias, A and D; the norm
        # kept: x; all that is mapped to; the convolved and u; the scanned, the gate, the gated,
        # the normed and the scaled, a statistic for each group
        (Mamba2Mixer(), Row(d * WIDE + INNER * d + (K + 1) * MIXED + 3 * h + INNER,
                            2 * B * T * (d * WIDE + INNER * d)
                            + 2 * B * (T + K - 1) * K * MIXED + SCAN,
                            CHUNKS + TOKENS
                            + B * T * (d + WIDE + 2 * MIXED + 5 * INNER + G), (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
