"""Norms and softmax: fused, so a row keeps its input or its result and few statistics."""

import pytest

from symledger.components.heads_and_losses.log_softmax import LogSoftmax
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.norms.norms import ComposedRMSNorm, LayerNorm, RMSNorm
from symledger.sizes import B, Size, T, d

from .tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (LayerNorm(), Row(2 * d, 0, B * T * (d + 2), (B, T, d))),
        (RMSNorm(), Row(d, 0, B * T * (d + 1), (B, T, d))),
        (ComposedRMSNorm(), Row(d, 0, B * T * (2 * d + 1), (B, T, d))),
        (Softmax(), Row(0, 0, B * T * N, (B, T, N))),
        (LogSoftmax(), Row(0, 0, B * T * N, (B, T, N))),
    ],
    ids=repr,
)
def test_norms(component, row):
    assert_row(component, row)
