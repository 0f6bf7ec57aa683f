"""Windows as columns, and back."""

import numpy as np
import pytest

from symledger.components.layout.unfolding import Fold, Unfold
from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.sizes import B, C, H, H_o, K_h, K_w, W, W_o, p_h, p_w, r_h, r_w, s_h, s_w
from tests.components.tables import Row, assert_row

SLIDES = s_h, s_w, r_h, r_w


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Unfold(), Row(0, 0, 0, (B, C * K_h * K_w, H_o * W_o))),
        (Fold(), Row(0, 0, 0, (B, C, H, W))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


def test_columns_are_laid_back_where_they_came_from():
    at = {B: 2, C: 3, H: 5, W: 4, K_h: 2, K_w: 3, **dict.fromkeys(SLIDES, 1), p_h: 0, p_w: 0}
    rng, there, back = np.random.default_rng(0), program_of(Unfold()), program_of(Fold())
    at |= {symbol: int(e.subs(at)) for symbol, e in there.definitions.items()}
    x, columns = rng.standard_normal((2, 3, 5, 4)), rng.standard_normal((2, 18, 8))
    (y,), (z,) = there.outputs, back.outputs
    unfolded = Machine(at).run(there, {there.inputs[0]: x})[y]
    folded = Machine(at).run(back, {back.inputs[0]: columns})[z]
    assert np.isclose((unfolded * columns).sum(), (folded * x).sum())
