"""Noise: counts by hand."""

import pytest

from symledger.components.heads_and_losses.dropout import Dropout
from symledger.sizes import B, Size, T
from tests.components.tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Dropout(), Row(0, 0, B * T * N, (B, T, N))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
