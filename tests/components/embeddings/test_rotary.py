"""Positions that turn: they cost nothing, and keep lengths and distances."""

import numpy as np
import pytest
from sympy import Integer

from symledger.components.embeddings.rotary import RotaryPositions
from symledger.sizes import B, T, d_k, h
from tests.components.runs import value
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (RotaryPositions(), Row(0, 0, 0, (B, T, h, d_k))),
    ],
    ids=repr,
)  # fmt: skip
def test_tables(component, row):
    assert_row(component, row)


def test_rotation_keeps_lengths_and_depends_on_distance_alone():
    """Su et al., RoFormer (2021), section 3.4.1: the product of two turned vectors."""
    rng = np.random.default_rng(0)
    sizes = {B: 1, T: 8, h: 1, d_k: 6}
    q, k = (np.broadcast_to(rng.standard_normal(6), (1, 8, 1, 6)) for _ in range(2))
    turned_q, turned_k = (value(RotaryPositions(), sizes, x)[0, :, 0] for x in (q, k))
    products = turned_q @ turned_k.T
    assert np.linalg.norm(turned_q, axis=-1) == pytest.approx(np.linalg.norm(q[0, 0, 0]))
    assert products[1:, 1:] == pytest.approx(products[:-1, :-1])
    assert products[0, 0] == pytest.approx(q[0, 0, 0] @ k[0, 0, 0])
    assert abs(products[0, 1] - products[0, 0]) > 1e-3


def test_an_offset_turns_as_later_positions_do():
    x = np.random.default_rng(1).standard_normal((1, 5, 1, 4))
    later = value(RotaryPositions(), {B: 1, T: 5, h: 1, d_k: 4}, x)[:, 3:]
    offset = value(RotaryPositions(offset=Integer(3)), {B: 1, T: 2, h: 1, d_k: 4}, x[:, 3:])
    assert offset == pytest.approx(later)
