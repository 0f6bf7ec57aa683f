"""Statistical top-k: counts by hand."""

from symledger.components.feed_forward.statistical import StatisticalTopK
from symledger.sizes import B, T, n
from tests.components.tables import Row, assert_row


def test_statistical_top_k():
    """Kept: what is centred, what comes out, and the standard deviation of each row."""
    row = Row(0, 0, B * T * (2 * n + 1), (B, T, n))
    assert_row(StatisticalTopK(), row, {"x": "B T n"})
