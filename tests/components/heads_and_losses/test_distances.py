"""Losses of vectors and what lies between them: counts by hand."""

import pytest

from symledger.components.heads_and_losses.distances import (
    CosineEmbedding,
    CosineSimilarity,
    GaussianNLL,
    HingeEmbedding,
    MultiLabelSoftMargin,
    MultiMargin,
    PairwiseDistance,
    TripletMargin,
)
from symledger.sizes import B, Size, V
from tests.components.tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize(
    ("component", "row"),
    [
        # kept: the difference and its length; both vectors, their lengths, their directions
        (PairwiseDistance(), Row(0, 0, B * N + B, (B,))),
        (CosineSimilarity(), Row(0, 0, 4 * B * N + 2 * B, (B,))),
        # kept: two differences, two lengths and what is clipped; v, x − y and its square
        (TripletMargin(), Row(0, 0, 2 * B * N + 3 * B, ())),
        (TripletMargin(reduction="none"), Row(0, 0, 2 * B * N + 3 * B, (B,))),
        (GaussianNLL(reduction="none"), Row(0, 0, 3 * B * N, (B, N))),
        # kept: x and −x, y and 1 − y, and the logarithms of both chances
        (MultiLabelSoftMargin(reduction="none"), Row(0, 0, 6 * B * N, (B,))),
        # kept: both vectors, two squares, their root, the product, what is clipped, and two masks
        (CosineEmbedding(), Row(0, 0, 2 * B * N + 7 * B, ())),
        # kept: what is clipped, and two masks; what is clipped, and the classes
        (HingeEmbedding(reduction="none"), Row(0, 0, 3 * B * N, (B, N))),
        (MultiMargin(), Row(0, 0, B * V + B, ())),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
