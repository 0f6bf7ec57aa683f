"""The gated delta rule: counts by hand."""

import pytest

from symledger.components.state_spaces.delta import GatedDeltaMixer, GatedDeltaRule
from symledger.sizes import B, K, Q, T, d, d_k, d_v, h_q, h_v, n_c
from tests.components.tables import Row, assert_row

TAPS = B * (T + K - 1) * K  # for each channel: padded on both sides, and cut off afterwards
PAIRS, STATE = B * h_v * n_c * Q**2, B * h_v * d_k * d_v
# keys with keys and with queries, what pairs read; the memory read twice, and written
RULE = 2 * PAIRS * (2 * d_k + d_v) + 6 * Q * n_c * STATE
ROWS = B * n_c * Q * h_v
# both products, the decays between, and both times these
# keys that are written, decayed keys and queries, both solutions, what is written in the end,
# decays since the beginning and until the end; all decays of chunks; the memory between them
CHUNKS = 5 * PAIRS + ROWS * (4 * d_k + 2 * d_v + 2) + B * h_v * n_c + (n_c - 1) * STATE
# queries and keys of all heads, before and after they have length 1, and those lengths
UNITS = 2 * B * T * h_v * (2 * d_k + 1)
KEYS, VALUES = h_q * d_k, h_v * d_v
MIXED = 2 * KEYS + VALUES

@pytest.mark.parametrize(
    ("component", "row"),
    [
        # kept: values as well, and how much of them is written
        (GatedDeltaRule(), Row(0, RULE, CHUNKS + UNITS + B * T * h_v * (d_v + 1),
                               (B, T, h_v, d_v))),
        # the gains of the norm, A and dt's bias
        # kept: x; what is convolved, and the convolved beyond the end; values; what is read, in
        # chunks, and its statistic; the gate before and after, the normed and the gated; how much
        # is written, the step before and after its softplus; A and exp of its logarithm
        (GatedDeltaMixer(), Row(d * (MIXED + 2 * VALUES + 2 * h_v) + K * MIXED + 2 * h_v + d_v,
                                2 * B * T * d * (MIXED + 2 * VALUES + 2 * h_v)
                                + 2 * TAPS * MIXED + RULE,
                                CHUNKS + UNITS + B * (T * d + (2 * T + K - 1) * MIXED)
                                + ROWS * d_v + B * T * (5 * VALUES + 4 * h_v) + 2 * h_v,
                                (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
