"""Blocks that widen and narrow: counts by hand."""

import pytest

from symledger.components.image_blocks.inverted import InvertedResidual, SqueezeExcitation
from symledger.sizes import B, C, C_in, C_out, C_s, H, H_o, K, W, W_o, t
from tests.components.tables import assert_counts

IN, OUT = B * H * W, B * H_o * W_o
C_t = t * C_in


@pytest.mark.parametrize(
    ("component", "weights", "flops"),
    [
        (SqueezeExcitation(), 2 * C * C_s + C + C_s, 4 * B * C * C_s),
        (InvertedResidual(), C_in * C_t + K**2 * C_t + C_t * C_out + 4 * C_t + 2 * C_out,
         2 * IN * C_in * C_t + 2 * OUT * (K**2 * C_t + C_t * C_out)),
        (InvertedResidual(expanded=False), K**2 * C_in + C_in * C_out + 2 * C_in + 2 * C_out,
         2 * OUT * (K**2 * C_in + C_in * C_out)),
        # squeezed to a quarter of what entered: two maps with biases, and once for each image
        (InvertedResidual(squeezed=True),
         C_in * C_t + K**2 * C_t + C_t * C_out + 4 * C_t + 2 * C_out
         + C_t * C_in / 2 + C_t + C_in / 4,
         2 * IN * C_in * C_t + 2 * OUT * (K**2 * C_t + C_t * C_out) + B * C_t * C_in),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, weights, flops):
    assert_counts(component, weights, flops)
