"""The affine map."""

import pytest
from sympy import Integer

from symledger.components.maps.linear import Linear
from symledger.sizes import B, T, d_in, d_out
from tests.components.tables import Row, assert_row

FORWARD = 2 * B * T * d_in * d_out


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Linear(), Row(d_in * d_out + d_out, FORWARD, B * T * d_in, (B, T, d_out))),
        (Linear(bias=False), Row(d_in * d_out, FORWARD, B * T * d_in, (B, T, d_out))),
        # torch.nn.Linear(768, 3072) has 768 · 3072 + 3072 parameters
        (
            Linear(Integer(768), Integer(3072)),
            Row(2362368, 4718592 * B * T, 768 * B * T, (B, T, Integer(3072))),
        ),
        (Linear(768, 3072, bias=False), Row(2359296, 4718592 * B * T, 768 * B * T, (B, T, 3072))),
    ],
    ids=repr,
)
def test_linear(component, row):
    assert_row(component, row)
