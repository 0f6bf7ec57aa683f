"""Tables of tokens and positions, the head, the loss and dropout."""

import numpy as np
import pytest
from sympy import Integer

from symledger.components.embeddings.embedding import LMHead, TokenEmbedding
from symledger.components.embeddings.positions import LearnedPositions, SinusoidalPositions
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.heads_and_losses.losses import CrossEntropy
from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.sizes import B, Size, T, T_max, V, d, d_k, h

from .tables import Row, assert_row

N = Size("n")
TIED = {"x": "B T d", "E": "V d"}


@pytest.mark.parametrize(
    ("component", "inputs", "row"),
    [
        (TokenEmbedding(), None, Row(V * d, 0, B * T, (B, T, d))),
        (LMHead(), None, Row(V * d, 2 * B * T * V * d, B * T * d, (B, T, V))),
        (LMHead(), TIED, Row(0, 2 * B * T * V * d, B * T * d + V * d, (B, T, V))),
        (LearnedPositions(), None, Row(T_max * d, 0, 0, (B, T, d))),
        (SinusoidalPositions(), None, Row(0, 0, 0, (B, T, d))),
        (RotaryPositions(), None, Row(0, 0, 0, (B, T, h, d_k))),
        (Dropout(), None, Row(0, 0, B * T * N, (B, T, N))),
        (CrossEntropy(), None, Row(0, 0, B * T * V + B * T, ())),
    ],
    ids=repr,
)
def test_tables_and_losses(component, inputs, row):
    assert_row(component, row, inputs)


def run(component, sizes, x):
    program = program_of(component)
    return Machine(sizes).run(program, {program.inputs[0]: x})[program.outputs[0]]


def test_sinusoids_are_those_of_the_paper():
    """Vaswani et al. (2017), section 3.5: sin at 2i and cos at 2i + 1 of t / 10000^(2i/d)."""
    made = run(SinusoidalPositions(), {B: 1, T: 7, d: 6}, np.zeros((1, 7, 6)))[0]
    for t in range(7):
        for i in range(3):
            angle = t / 10000 ** (2 * i / 6)
            assert made[t, 2 * i] == pytest.approx(np.sin(angle), abs=1e-12)
            assert made[t, 2 * i + 1] == pytest.approx(np.cos(angle), abs=1e-12)


def test_rotation_keeps_lengths_and_depends_on_distance_alone():
    """Su et al., RoFormer (2021), section 3.4.1: the product of two turned vectors."""
    rng = np.random.default_rng(0)
    sizes = {B: 1, T: 8, h: 1, d_k: 6}
    q, k = (np.broadcast_to(rng.standard_normal(6), (1, 8, 1, 6)) for _ in range(2))
    turned_q, turned_k = (run(RotaryPositions(), sizes, x)[0, :, 0] for x in (q, k))
    products = turned_q @ turned_k.T
    assert np.linalg.norm(turned_q, axis=-1) == pytest.approx(np.linalg.norm(q[0, 0, 0]))
    assert products[1:, 1:] == pytest.approx(products[:-1, :-1])
    assert products[0, 0] == pytest.approx(q[0, 0, 0] @ k[0, 0, 0])
    assert abs(products[0, 1] - products[0, 0]) > 1e-3


def test_an_offset_turns_as_later_positions_do():
    x = np.random.default_rng(1).standard_normal((1, 5, 1, 4))
    later = run(RotaryPositions(), {B: 1, T: 5, h: 1, d_k: 4}, x)[:, 3:]
    offset = run(RotaryPositions(offset=Integer(3)), {B: 1, T: 2, h: 1, d_k: 4}, x[:, 3:])
    assert offset == pytest.approx(later)
