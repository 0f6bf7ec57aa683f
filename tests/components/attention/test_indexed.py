"""The indexer: counts by hand."""

from symledger.components.attention.indexed import Indexer
from symledger.sizes import B, T, d, d_q, d_x, n_i
from tests.components.tables import Row, assert_row

MAPS = d_q * n_i * d_x + d * d_x + d * n_i


def test_indexer():
    """Kept: both inputs; queries, and keys before their norm and after turning; a norm's two
    statistics; weights of heads, and scores of all pairs."""
    kept = d + d_q + n_i * d_x + 2 * d_x + 2 + n_i + T * n_i
    assert_row(Indexer(), Row(
        MAPS + 2 * d_x, 2 * B * T * MAPS + 2 * B * T**2 * n_i * (d_x + 1), B * T * kept, (B, T, T),
    ))  # fmt: skip
