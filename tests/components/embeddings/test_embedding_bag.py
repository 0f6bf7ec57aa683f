"""Bags of tokens: counts by hand."""

import pytest

from symledger.components.embeddings.embedding_bag import EmbeddingBag
from symledger.sizes import B, T, V, d
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (EmbeddingBag(), Row(V * d, 0, B * T, (B, d))),
        (EmbeddingBag(mode="max"), Row(V * d, 0, B * T + B * d, (B, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)
