"""Softmax of another sign, and its logarithm: a row keeps its result."""

import pytest

from symledger.components.heads_and_losses.log_softmax import LogSoftmax, Softmin
from symledger.sizes import B, Size, T
from tests.components.tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (LogSoftmax(), Row(0, 0, B * T * N, (B, T, N))),
        (Softmin(), Row(0, 0, B * T * N, (B, T, N))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
