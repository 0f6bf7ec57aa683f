"""What moves elements alone: it costs nothing."""

import numpy as np
import pytest
from sympy import Integer

from symledger.components.layout.shapes import (
    ChannelShuffle,
    Flatten,
    Identity,
    PixelShuffle,
    PixelUnshuffle,
    Unflatten,
    Upsample,
)
from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.sizes import B, C, G, H, Size, T, W, u
from tests.components.tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Identity(), Row(0, 0, 0, (B, T, N))),
        (Flatten(), Row(0, 0, 0, (B, C * H * W))),
        (PixelShuffle(), Row(0, 0, 0, (B, C, H * u, W * u))),
        (PixelUnshuffle(), Row(0, 0, 0, (B, C * u**2, H, W))),
        (ChannelShuffle(), Row(0, 0, 0, (B, C * G, H, W))),
        (Upsample(), Row(0, 0, 0, (B, C, H * u, W * u))),
        (Unflatten(), Row(0, 0, 0, (B, C, H, W))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


def test_a_pixel_of_a_larger_image_comes_from_a_channel():
    program = program_of(PixelShuffle(C=Integer(1), u=Integer(2)))
    x = np.arange(16.0).reshape(1, 4, 2, 2)
    (y,) = program.outputs
    found = Machine({B: 1, H: 2, W: 2}).run(program, {program.inputs[0]: x})[y]
    assert found[0, 0].tolist() == [
        [0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15],
    ]  # fmt: skip
