"""Norms: fused, so a row keeps its input and few statistics."""

import pytest

from symledger.components.norms.norms import ComposedRMSNorm, LayerNorm, RMSNorm
from symledger.sizes import B, T, d
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (LayerNorm(), Row(2 * d, 0, B * T * (d + 2), (B, T, d))),
        (RMSNorm(), Row(d, 0, B * T * (d + 1), (B, T, d))),
        (ComposedRMSNorm(), Row(d, 0, B * T * (2 * d + 1), (B, T, d))),
        (LayerNorm(bias=False), Row(d, 0, B * T * (d + 2), (B, T, d))),
        (LayerNorm(affine=False), Row(0, 0, B * T * (d + 2), (B, T, d))),
        (RMSNorm(affine=False), Row(0, 0, B * T * (d + 1), (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_norms(component, row):
    assert_row(component, row)
