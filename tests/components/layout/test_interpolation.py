"""What lies between elements: counts by hand, values on a line."""

import numpy as np
import pytest
from sympy import Integer

from symledger.components.layout.interpolation import (
    Interpolation1d,
    Interpolation2d,
    Interpolation3d,
    Nearest2d,
)
from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.sizes import B, C, D_o, H_o, T, T_o, W_o
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Nearest2d(), Row(0, 0, 0, (B, C, H_o, W_o))),
        (Interpolation1d(), Row(0, 0, 0, (B, C, T_o))),
        (Interpolation3d(), Row(0, 0, 0, (B, C, D_o, H_o, W_o))),
        (Interpolation2d(cubic=True), Row(0, 0, 0, (B, C, H_o, W_o))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


@pytest.mark.parametrize(("n", "length"), [(2, 4), (4, 2), (3, 7), (1, 3), (5, 5)])
def test_what_lies_between_neighbours_is_on_a_straight_line(n, length):
    program = program_of(Interpolation1d(T_o=Integer(length)))
    (y,) = program.outputs
    x = np.arange(n, dtype=float)[None, None] ** 2
    found = Machine({B: 1, C: 1, T: n}).run(program, {program.inputs[0]: x})[y]
    middles = (np.arange(length) + 0.5) * n / length - 0.5
    assert np.allclose(found[0, 0], np.interp(middles, np.arange(n), x[0, 0]))
