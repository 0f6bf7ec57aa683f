"""Blocks of networks that take noise away: counts by hand."""

import pytest

from symledger.components.image_blocks.diffusion import SpatialTransformer, StepResidual
from symledger.sizes import B, C, C_in, C_out, H, H_o, S, W, W_o, d, d_ctx
from tests.components.tables import assert_counts

IN, OUT = B * H * W, B * H_o * W_o


@pytest.mark.parametrize(
    ("component", "weights", "flops"),
    [
        (StepResidual(), 2 * C_in + 2 * C_out + 9 * C_in * C_out + 9 * C_out**2 + d * C_out
         + C_in * C_out + 4 * C_out,
         2 * IN * (10 * C_in * C_out + 9 * C_out**2) + 2 * B * d * C_out),
        # norms 8C, maps in and out 2C² + 2C, attention 4C² + C, to the text 2C² + 2 C d_ctx + C,
        # the gated network 12 C² + 9C
        (SpatialTransformer(), 20 * C**2 + 2 * C * d_ctx + 21 * C,
         2 * IN * 18 * C**2 + 4 * B * H**2 * W**2 * C
         + 2 * IN * 2 * C**2 + 4 * B * S * C * d_ctx + 4 * IN * S * C),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, weights, flops):
    assert_counts(component, weights, flops)
