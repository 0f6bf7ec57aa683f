"""A norm over neighbouring channels: counts by hand."""

import pytest

from symledger.components.norms.response import LocalResponseNorm
from symledger.sizes import B, C, H, W
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (LocalResponseNorm(), Row(0, 0, 3 * B * C * H * W, (B, C, H, W))),
        (LocalResponseNorm(power="second"), Row(0, 0, 3 * B * C * H * W, (B, C, H, W))),
        (LocalResponseNorm(power="first"), Row(0, 0, 2 * B * C * H * W, (B, C, H, W))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
