"""Cells: one step of a recurrent network, counted by hand."""

import pytest

from symledger.components.recurrence.recurrent_steps import GRUStep, LSTMStep, RNNStep
from symledger.notation.calling import program_of
from symledger.sizes import B, d_in, d_s
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize(
    ("component", "row"),
    [
        # kept: input, state, and what the cell keeps of its gates
        (RNNStep(), Row(d_s * (d_in + d_s + 2), 2 * B * d_s * (d_in + d_s),
                        B * (d_in + 2 * d_s), (B, d_s))),
        (GRUStep(bias=False), Row(3 * d_s * (d_in + d_s), 6 * B * d_s * (d_in + d_s),
                                  B * (d_in + d_s + 3 * d_s + 3 * d_s), (B, d_s))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


def test_a_cell_of_long_short_term_memory_gives_its_state_and_what_it_shows():
    program = program_of(LSTMStep())
    assert [y.shape for y in program.outputs] == [(B, d_s), (B, d_s)]
