"""A nonlinearity alone: what it keeps is its result where the slope can be written in that."""

import pytest

from symledger.components.feed_forward.activation import GLU, Activation, PReLU, RandomizedReLU
from symledger.sizes import B, C, Size, T, d
from tests.components.tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize("function", ["relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid"])
def test_an_activation_keeps_one_tensor(function):
    assert_row(Activation(function), Row(0, 0, B * T * N, (B, T, N)))


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (PReLU(), Row(1, 0, B * C * N, (B, C, N))),
        (PReLU(by_channel=True), Row(C, 0, B * C * N, (B, C, N))),
        (GLU(), Row(0, 0, 2 * B * T * d, (B, T, d))),
        (RandomizedReLU(), Row(0, 0, 2 * B * T * N, (B, T, N))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
