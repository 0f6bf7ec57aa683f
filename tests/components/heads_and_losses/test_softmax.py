"""Softmax: fused, so a row keeps its result."""

import pytest

from symledger.components.heads_and_losses.softmax import Softmax
from symledger.sizes import B, Size, T
from tests.components.tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Softmax(), Row(0, 0, B * T * N, (B, T, N))),
    ],
    ids=repr,
)  # fmt: skip
def test_softmax(component, row):
    assert_row(component, row)
