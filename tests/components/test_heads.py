"""What stands on an encoder."""

import pytest

from symledger.components.heads import MaskedLMHead, Pooler
from symledger.sizes import B, T, V, d

from .tables import Row, assert_row

TIED = {"x": "B T d", "E": "V d"}
FORWARD = 2 * B * T * (d**2 + V * d)
KEPT = B * T * (4 * d + 2)  # x, what enters GELU and the norm, its statistics, what it gives


@pytest.mark.parametrize(
    ("component", "inputs", "row"),
    [
        # x itself is kept, of which the first token is a slice; and the result of tanh
        (Pooler(), None, Row(d**2 + d, 2 * B * d**2, B * T * d + B * d, (B, d))),
        (MaskedLMHead(), None, Row(d**2 + V * d + 3 * d + V, FORWARD, KEPT, (B, T, V))),
        (MaskedLMHead(), TIED, Row(d**2 + 3 * d + V, FORWARD, KEPT + V * d, (B, T, V))),
    ],
    ids=repr,
)
def test_heads(component, inputs, row):
    assert_row(component, row, inputs)
