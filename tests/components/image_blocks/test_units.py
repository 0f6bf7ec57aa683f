"""A convolution, its norm and its nonlinearity: counts by hand."""

import pytest

from symledger import derive
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.errors import BadInput
from symledger.sizes import B, C_in, C_out, G, H, H_o, K, W, W_o
from tests.components.tables import assert_counts

IN, OUT = B * H * W, B * H_o * W_o


@pytest.mark.parametrize(
    ("component", "weights", "flops"),
    [
        # one kernel, and two numbers a channel for its norm
        (ConvolutionUnit(), C_in * C_out * K**2 / G + 2 * C_out, 2 * OUT * C_in * C_out * K**2 / G),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, weights, flops):
    assert_counts(component, weights, flops)


@pytest.mark.parametrize(
    ("s", "height", "result"), [(1, 7, 7), (2, 7, 4), (2, 8, 4), (3, 7, 3), (3, 10, 4)]
)
def test_a_unit_gives_a_place_for_every_stride_that_begins(s, height, result):
    account = derive("convolution_unit", {"K": 3, "s": s, "H": height, "W": height})
    assert account.assumed.bindings[H_o] == result


def test_a_window_of_even_width_has_no_middle():
    with pytest.raises(BadInput, match="not a positive whole number"):
        derive("convolution_unit", {"K": 4})
