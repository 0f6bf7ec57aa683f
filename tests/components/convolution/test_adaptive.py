"""Poolings to a given size: counts by hand, values by tiles."""

from math import gcd

import numpy as np
import pytest
from sympy import Integer

from symledger.components.convolution.adaptive import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    met_at,
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
        (AdaptiveAvgPool2d(uneven=True), Row(0, 0, 0, SMALL)),
        (AdaptiveMaxPool2d(uneven=True), Row(0, 0, B * C * H_o * W_o, SMALL)),
        (AdaptiveAvgPool1d(), Row(0, 0, 0, (B, C, T_o))),
        (AdaptiveAvgPool3d(), Row(0, 0, 0, (B, C, D_o, H_o, W_o))),
        (AdaptiveMaxPool1d(), Row(0, 0, B * C * T_o, (B, C, T_o))),
        (AdaptiveMaxPool3d(), Row(0, 0, B * C * D_o * H_o * W_o, (B, C, D_o, H_o, W_o))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


@pytest.mark.parametrize("n", range(1, 13))
@pytest.mark.parametrize("tiles", range(1, 13))
def test_parts_of_an_axis_are_the_pairs_of_an_element_and_a_tile_that_has_it(n, tiles):
    """PyTorch's tiles, written down: adaptive_avg_pool2d of ATen/native/AdaptivePooling.h."""
    pairs = [
        (k, i) for i in range(tiles) for k in range(i * n // tiles, -(-(i + 1) * n // tiles))
    ]
    met = n + tiles - gcd(n, tiles)
    found = [met_at(Integer(e), *map(Integer, (n, tiles, met))) for e in range(met)]
    assert sorted(found, key=lambda pair: (pair[1], pair[0])) == pairs


def of_tiles(x, counts, reduced):
    """What is made of PyTorch's tiles of the last two axes, one by one."""
    ends = [
        [(i * n // o, -(-(i + 1) * n // o)) for i in range(o)]
        for n, o in zip(x.shape[2:], counts, strict=True)
    ]
    rows = [[reduced(x[:, :, a:b, c:d], axis=(2, 3)) for c, d in ends[1]] for a, b in ends[0]]
    return np.moveaxis(np.array(rows), (0, 1), (2, 3))


@pytest.mark.parametrize("counts", [(3, 5), (7, 9), (5, 12), (4, 3)])
def test_uneven_tiles_overlap(counts):
    sizes = {"H": 7, "W": 9, "H_o": counts[0], "W_o": counts[1]}
    _, at, y = run(AdaptiveAvgPool2d(uneven=True), **sizes)
    assert np.allclose(y, of_tiles(at["x"], counts, np.mean))
    _, at, y = run(AdaptiveMaxPool2d(uneven=True), **sizes)
    assert np.array_equal(y, of_tiles(at["x"], counts, np.max))


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
