"""The attention of heads: counts by hand."""

import pytest

from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.sizes import B, S, T, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_row

HEADS = (B, T, h, d_v)
MIXED = 2 * B * T * S * h * (d_k + d_v)
QKV = B * T * h * d_k + B * S * h_kv * (d_k + d_v)


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (ScaledDotProduct(), Row(0, MIXED, QKV + B * h * T * S, HEADS)),
        (ScaledDotProduct(causal=True), Row(0, MIXED, QKV + B * h * T * S, HEADS)),
        (ScaledDotProduct(dropout=True), Row(0, MIXED, QKV + 3 * B * h * T * S, HEADS)),
    ],
    ids=repr,
)  # fmt: skip
def test_the_attention_of_heads(component, row):
    assert_row(component, row)
