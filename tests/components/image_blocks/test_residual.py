"""Residual blocks of convolutions: counts by hand."""

import pytest

from symledger.components.image_blocks.residual import BasicBlock, Bottleneck
from symledger.sizes import B, C, C_in, C_out, G, H, H_o, W, W_o
from tests.components.tables import assert_counts

IN, OUT = B * H * W, B * H_o * W_o


@pytest.mark.parametrize(
    ("component", "weights", "flops"),
    [
        # 3 × 3 twice, 1 × 1 for the shortcut, three norms
        (BasicBlock(), 10 * C_in * C_out + 9 * C_out**2 + 6 * C_out,
         2 * OUT * (10 * C_in * C_out + 9 * C_out**2)),
        # where the shape stays there is no shortcut: torchvision's BasicBlock(64, 64) has 73,984
        (BasicBlock(64, 64, 1, H, W), 73984, 2 * 2 * 36864 * IN),
        (Bottleneck(), C_in * C + 9 * C**2 / G + C * C_out + C_in * C_out + 4 * C + 4 * C_out,
         2 * IN * C_in * C + 2 * OUT * (9 * C**2 / G + C * C_out + C_in * C_out)),
        # halved by the first map already, the second sees a quarter of the places
        (Bottleneck(s=2, early=True),
         C_in * C + 9 * C**2 / G + C * C_out + C_in * C_out + 4 * C + 4 * C_out,
         2 * OUT * (C_in * C + 9 * C**2 / G + C * C_out + C_in * C_out)),
        # torchvision's Bottleneck(256, 64): 256 · 64 + 9 · 64² + 64 · 256, norms of 64, 64 and 256
        (Bottleneck(256, 256, 1, H, W, C=64, G=1), 70400, 2 * 69632 * IN),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, weights, flops):
    assert_counts(component, weights, flops)
