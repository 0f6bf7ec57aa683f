"""Losses: counts by hand."""

import pytest

from symledger.components.heads_and_losses.losses import (
    CrossEntropy,
    ElementwiseLoss,
    MarginRanking,
    NegativeLogLikelihood,
)
from symledger.sizes import B, Size, T, V
from tests.components.tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (ElementwiseLoss(), Row(0, 0, 2 * B * N, ())),
        (ElementwiseLoss(reduction="none"), Row(0, 0, 2 * B * N, (B, N))),
        # kept: the difference; both; e^y and y − x; e^x, x and y; −y, x − z and what is clipped
        (ElementwiseLoss("l1"), Row(0, 0, B * N, ())),
        (ElementwiseLoss("bce"), Row(0, 0, 2 * B * N, ())),
        (ElementwiseLoss("kl_div_log"), Row(0, 0, 2 * B * N, ())),
        (ElementwiseLoss("poisson_nll"), Row(0, 0, 3 * B * N, ())),
        (MarginRanking(), Row(0, 0, 3 * B * N, ())),
        (MarginRanking(reduction="none"), Row(0, 0, 3 * B * N, (B, N))),
        # kept: the targets
        (NegativeLogLikelihood(), Row(0, 0, B * T, ())),
        (NegativeLogLikelihood(reduction="none"), Row(0, 0, B * T, (B, T))),
        # and the logarithms of the probabilities
        (CrossEntropy(), Row(0, 0, B * T * V + B * T, ())),
        (CrossEntropy(reduction="none", smoothing=True), Row(0, 0, B * T * (V + 1), (B, T))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
