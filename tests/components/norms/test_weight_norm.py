"""The norm of a kernel: one length for each offset."""

from symledger.components.norms.weight_norm import WeightNorm
from symledger.sizes import C, C_out, K
from tests.components.tables import Row, assert_row


def test_counts():
    assert_row(WeightNorm(), Row(K, 0, C_out * C * K + K, (C_out, C, K)))
