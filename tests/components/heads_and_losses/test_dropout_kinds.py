"""Noise of other kinds: counts by hand."""

import pytest

from symledger.components.heads_and_losses.dropout_kinds import (
    AlphaDropout,
    ChannelAlphaDropout,
    ChannelDropout,
)
from symledger.sizes import B, C, Size, T
from tests.components.tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (ChannelDropout(), Row(0, 0, B * C, (B, C, N))),
        (AlphaDropout(), Row(0, 0, B * T * N, (B, T, N))),
        (ChannelAlphaDropout(), Row(0, 0, B * C, (B, C, N))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
