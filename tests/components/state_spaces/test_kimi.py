"""Kimi delta attention: counts by hand."""

import pytest

from symledger.components.state_spaces.kimi import KimiDeltaMixer, KimiDeltaRule
from symledger.sizes import B, K, Q, T, d, d_k, d_v, h_v, n_c
from tests.components.tables import Row, assert_row

TAPS = B * (T + K - 1) * K  # for each channel: padded on both sides, and cut off afterwards
PAIRS, STATE = B * h_v * n_c * Q**2, B * h_v * d_k * d_v
# the inverse times what is written and its decayed keys, what pairs read; the memory read twice,
# and written: products of pairs are sums element by element
RULE = 2 * PAIRS * (d_k + 2 * d_v) + 6 * Q * n_c * STATE
ROWS = B * n_c * Q * h_v
# decays between pairs, products of both kinds of pairs before these; the inverse, what is read
# written keys; decays since the beginning and until the end, and keys and queries times these;
# decayed keys that the inverse takes to those it wrote; written values and what is new of them
# what is left of each row at the end of chunks; the memory between them
CHUNKS = (PAIRS * (3 * d_k + 2) + ROWS * (7 * d_k + 2 * d_v) + B * h_v * n_c * d_k
          + (n_c - 1) * STATE)  # fmt: skip
# queries and keys before and after they have length 1, and those lengths
UNITS = 2 * B * T * h_v * (2 * d_k + 1)
KEYS, VALUES = h_v * d_k, h_v * d_v
MIXED = 2 * KEYS + VALUES
MAPS = d * (MIXED + VALUES + 2 * d_v + h_v) + d_v * (KEYS + VALUES)


@pytest.mark.parametrize(
    ("component", "row"),
    [
        # kept: values as well, and how much of them is written
        (KimiDeltaRule(), Row(0, RULE, CHUNKS + UNITS + B * T * h_v * (d_v + 1),
                              (B, T, h_v, d_v))),
        # the gains of the norm, A and dt's bias
        # kept: x and the narrow vectors; what is convolved, and the convolved beyond the end;
        # values, twice (beside queries and keys, and alone); what is read, in chunks, and its
        # statistic; the gate, the normed and the gated;
        # of decays exp, one more than that and its logarithm; how much is written; A's rate twice
        (KimiDeltaMixer(), Row(MAPS + K * MIXED + KEYS + h_v + d_v,
                               2 * B * T * MAPS + 2 * TAPS * MIXED + RULE,
                               CHUNKS + UNITS + B * (T * (d + 2 * d_v) + (2 * T + K - 1) * MIXED)
                               + ROWS * d_v + B * T * (5 * VALUES + 3 * KEYS + 2 * h_v) + 2 * h_v,
                               (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
