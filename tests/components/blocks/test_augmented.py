"""A residual path with a map of low rank: counts by hand."""

import pytest

from symledger.components.blocks.augmented import LowRankResidual
from symledger.sizes import B, T, d, d_r
from tests.components.tables import Row, assert_row

MAPS = 4 * B * T * d * d_r


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (LowRankResidual(), Row(2 * d * d_r, MAPS, B * T * (d + d_r), (B, T, d))),
        (
            # what its norm is given, and a statistic of it, are kept besides
            LowRankResidual(normed=True),
            Row(2 * d * d_r + d, MAPS, B * T * (2 * d + d_r + 1), (B, T, d)),
        ),
    ],
)
def test_counts(component, row):
    assert_row(component, row)
