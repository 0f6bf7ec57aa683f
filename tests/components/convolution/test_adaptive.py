"""Poolings to a given size: counts by hand, values by tiles."""

import numpy as np
import pytest

from symledger.components.convolution.adaptive import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
)
from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.sizes import B, C, D_o, H, H_o, T_o, W, W_o
from tests.components.runs import run
from tests.components.tables import Row, assert_row

SMALL = (B, C, H_o, W_o)


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (AdaptiveAvgPool2d(), Row(0, 0, 0, SMALL)),
        (AdaptiveAvgPool1d(), Row(0, 0, 0, (B, C, T_o))),
        (AdaptiveAvgPool3d(), Row(0, 0, 0, (B, C, D_o, H_o, W_o))),
        (AdaptiveMaxPool1d(), Row(0, 0, B * C * T_o, (B, C, T_o))),
        (AdaptiveMaxPool3d(), Row(0, 0, B * C * D_o * H_o * W_o, (B, C, D_o, H_o, W_o))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


def test_adaptive_pooling_takes_the_means_of_tiles():
    _, at, y = run(AdaptiveAvgPool2d(), H=6, W=8, H_o=3, W_o=2)
    assert np.allclose(y, at["x"].reshape(2, 4, 3, 2, 2, 4).mean(axis=(3, 5)))


def test_adaptive_pooling_takes_the_largest_of_each_tile():
    program = program_of(AdaptiveMaxPool2d())
    at = {B: 2, C: 3, H: 6, W: 8, H_o: 3, W_o: 2}
    x = np.random.default_rng(0).standard_normal((2, 3, 6, 8))
    (y,) = program.outputs
    found = Machine(at).run(program, {program.inputs[0]: x})[y]
    assert np.array_equal(found, x.reshape(2, 3, 3, 2, 2, 4).max(axis=(3, 5)))
