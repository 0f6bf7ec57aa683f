"""Tables of tokens, and the head."""

import pytest

from symledger.components.embeddings.embedding import LMHead, TiedEmbedding, TokenEmbedding
from symledger.sizes import B, T, V, d
from tests.components.tables import Row, assert_row

TIED = {"x": "B T d", "E": "V d"}


@pytest.mark.parametrize(
    ("component", "inputs", "row"),
    [
        (TokenEmbedding(), None, Row(V * d, 0, B * T, (B, T, d))),
        (LMHead(), None, Row(V * d, 2 * B * T * V * d, B * T * d, (B, T, V))),
        (LMHead(), TIED, Row(0, 2 * B * T * V * d, B * T * d + V * d, (B, T, V))),
        # kept: the tokens, and their rows
        (TiedEmbedding(), None, Row(V * d, 2 * B * T * V * d, B * T + B * T * d, (B, T, V))),
    ],
    ids=repr,
)  # fmt: skip
def test_tables(component, inputs, row):
    assert_row(component, row, inputs)
