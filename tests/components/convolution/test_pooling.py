"""Poolings: counts by hand, values by plain loops."""

import numpy as np
import pytest

from symledger.components.convolution.pooling import (
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
)
from symledger.sizes import B, C, D_o, H_o, T_o, W_o
from tests.components.runs import padded, patch, run
from tests.components.tables import Row, assert_row

SMALL = (B, C, H_o, W_o)


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (MaxPool2d(), Row(0, 0, B * C * H_o * W_o, SMALL)),
        (AvgPool2d(), Row(0, 0, 0, SMALL)),
        (MaxPool1d(), Row(0, 0, B * C * T_o, (B, C, T_o))),
        (AvgPool1d(), Row(0, 0, 0, (B, C, T_o))),
        (AvgPool3d(), Row(0, 0, 0, (B, C, D_o, H_o, W_o))),
        (MaxPool3d(), Row(0, 0, B * C * D_o * H_o * W_o, (B, C, D_o, H_o, W_o))),
        (MaxPool3d(ceil=True), Row(0, 0, B * C * D_o * H_o * W_o, (B, C, D_o, H_o, W_o))),
        (AvgPool1d(ceil=True), Row(0, 0, 0, (B, C, T_o))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


@pytest.mark.parametrize(
    ("component", "fill", "reduce"), [(MaxPool2d(), -np.inf, np.max), (AvgPool2d(), 0, np.mean)]
)
def test_a_pooling_is_one_number_a_window(component, fill, reduce):
    n, at, y = run(component)
    image = padded(at["x"], n, fill)
    for i, j in np.ndindex(y.shape[2:]):
        assert np.allclose(y[:, :, i, j], reduce(patch(image, n, i, j), axis=(2, 3)))
