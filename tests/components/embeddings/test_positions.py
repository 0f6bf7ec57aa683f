"""Tables of positions: counts by hand, sinusoids by the paper."""

import numpy as np
import pytest

from symledger.components.embeddings.positions import LearnedPositions, SinusoidalPositions
from symledger.sizes import B, T, T_max, d
from tests.components.runs import value
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (LearnedPositions(), Row(T_max * d, 0, 0, (B, T, d))),
        (SinusoidalPositions(), Row(0, 0, 0, (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_tables(component, row):
    assert_row(component, row)


def test_sinusoids_are_those_of_the_paper():
    """Vaswani et al. (2017), section 3.5: sin at 2i and cos at 2i + 1 of t / 10000^(2i/d)."""
    made = value(SinusoidalPositions(), {B: 1, T: 7, d: 6}, np.zeros((1, 7, 6)))[0]
    for t in range(7):
        for i in range(3):
            angle = t / 10000 ** (2 * i / 6)
            assert made[t, 2 * i] == pytest.approx(np.sin(angle), abs=1e-12)
            assert made[t, 2 * i + 1] == pytest.approx(np.cos(angle), abs=1e-12)
