"""Padding: it costs nothing."""

import pytest

from symledger.components.convolution.padding import Padding1d, Padding2d, Padding3d
from symledger.sizes import B, C, D, H, T, W, e, e_d, e_h, e_w, p, p_d, p_h, p_w
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Padding1d(), Row(0, 0, 0, (B, C, T + p + e))),
        (Padding2d(mode="reflect"), Row(0, 0, 0, (B, C, H + p_h + e_h, W + p_w + e_w))),
        (Padding3d(), Row(0, 0, 0, (B, C, D + p_d + e_d, H + p_h + e_h, W + p_w + e_w))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
