"""Attention of three sequences: counts by hand."""

import pytest

from symledger.components.attention.sourced import SourcedAttention
from symledger.sizes import B, S, T, d, d_h, d_key, d_val, h
from tests.components.tables import Row, assert_row

HIDDEN = h * d_h


@pytest.mark.parametrize(
    ("component", "row"),
    [
        # three maps of inputs of their own width, and one more key and value
        (SourcedAttention(bias_kv=True, bias=True),
         Row(HIDDEN * (2 * d + d_key + d_val + 5) + d,
             2 * B * HIDDEN * (2 * T * d + S * (d_key + d_val) + 2 * T * (S + 1)),
             B * (T * d + S * d_key + S * d_val + T * HIDDEN + 2 * (S + 1) * HIDDEN
                  + h * T * (S + 1) + T * HIDDEN), (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
