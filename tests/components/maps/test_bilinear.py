"""A map of two vectors: counts by hand."""

import pytest

from symledger.components.maps.bilinear import Bilinear
from symledger.sizes import B, T, d_1, d_2, d_out
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize(
    ("component", "row"),
    [
        # kept: both inputs
        (Bilinear(), Row(d_1 * d_2 * d_out + d_out,
                         2 * B * T * d_out * (d_1 * d_2 + d_2),
                         B * T * (d_1 + d_2), (B, T, d_out))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
