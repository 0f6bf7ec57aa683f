"""The block of ConvNeXt: counts by hand."""

import pytest

from symledger.components.image_blocks.convnext import ConvNeXtBlock
from symledger.sizes import B, C, H, H_o, W, W_o
from tests.components.tables import assert_counts

IN, OUT = B * H * W, B * H_o * W_o


@pytest.mark.parametrize(
    ("component", "weights", "flops"),
    [
        # 7 × 7 a channel, a norm, two maps with biases, a factor a channel
        (ConvNeXtBlock(), 50 * C + 2 * C + 8 * C**2 + 5 * C + C, 2 * IN * (49 * C + 8 * C**2)),
        (ConvNeXtBlock(scaled=False), 8 * C**2 + 57 * C, 2 * IN * (49 * C + 8 * C**2)),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, weights, flops):
    assert_counts(component, weights, flops)
