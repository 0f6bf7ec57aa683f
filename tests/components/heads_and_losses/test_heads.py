"""What stands on an encoder."""

import pytest

from symledger.components.heads_and_losses.heads import MaskedLMHead, Pooler
from symledger.sizes import B, T, V, d, d_e
from tests.components.tables import Row, assert_row

TIED = {"x": "B T d", "E": "V d"}
FORWARD = 2 * B * T * (d**2 + V * d)
KEPT = B * T * (4 * d + 2)  # x, what enters GELU and the norm, its statistics, what it gives


@pytest.mark.parametrize(
    ("component", "inputs", "row"),
    [
        # x itself is kept, of which the first token is a slice; and the result of tanh
        (Pooler(), None, Row(d**2 + d, 2 * B * d**2, B * T * d + B * d, (B, d))),
        # what enters GELU is kept, and not what it gives
        (Pooler(activation="gelu"), None, Row(d**2 + d, 2 * B * d**2, B * T * d + B * d, (B, d))),
        (MaskedLMHead(), None, Row(d**2 + V * d + 3 * d + V, FORWARD, KEPT, (B, T, V))),
        (MaskedLMHead(), TIED, Row(d**2 + 3 * d + V, FORWARD, KEPT + V * d, (B, T, V))),
        # a narrower table: x is kept as wide as it is, and the rest as wide as the table
        (MaskedLMHead(V, d, d_e), None, Row(d * d_e + V * d_e + 3 * d_e + V,
                                            2 * B * T * d_e * (d + V),
                                            B * T * (d + 3 * d_e + 2), (B, T, V))),
    ],
    ids=repr,
)
def test_heads(component, inputs, row):
    assert_row(component, row, inputs)
