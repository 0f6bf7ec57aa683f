"""From vectors of images to those of texts: counts by hand."""

import pytest

from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.sizes import B, H_g, T, W_g, d, d_ff, d_in, d_out, g
from tests.components.tables import Row, assert_row

MAPS = d_in * d_ff + d_ff + d_ff * d_out + d_out
WORK = 2 * B * T * (d_in * d_ff + d_ff * d_out)
HIDDEN = B * T * (d_in + 2 * d_ff)


@pytest.mark.parametrize(
    ("component", "inputs", "row"),
    [
        (PatchMerging(), None, Row(0, 0, 0, (B, H_g * W_g, g**2 * d))),
        (PatchMerging(averaged=True), None, Row(0, 0, 0, (B, H_g * W_g, d))),
        # the GELU needs what it is applied to, the maps what they are given
        (Projector(), {"x": "B T d_in"}, Row(MAPS, WORK, HIDDEN, (B, T, d_out))),
        (Projector(bias=False), {"x": "B T d_in"},
         Row(MAPS - d_ff - d_out, WORK, HIDDEN, (B, T, d_out))),
        # one more map, and both factors of the product besides
        (Projector(gated=True), {"x": "B T d_in"},
         Row(MAPS + d_in * d_ff + d_ff, WORK + 2 * B * T * d_in * d_ff,
             HIDDEN + 2 * B * T * d_ff, (B, T, d_out))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, inputs, row):
    assert_row(component, row, inputs)
