"""Streams that a doubly stochastic matrix mixes: counts by hand."""

from symledger.components.blocks.hyper import HyperConnections
from symledger.sizes import B, T, d, d_ff, n_n, n_s
from tests.components.tables import Row, assert_row

WEIGHTS = n_s**2 + 2 * n_s


def test_hyper_connections():
    """Kept: streams, and normalized; what is read and made; hidden values; of a token's weights
    what was mapped, with a statistic, sigmoids (both before and after what is done to them), three
    matrices of mixing with sums of columns, and two of each round with both sums."""
    rounds = 2 * n_n * (n_s**2 + n_s)
    weights = WEIGHTS + 1 + 4 * n_s + 3 * n_s**2 + n_s + rounds
    kept = 2 * n_s * d + 2 * d + 2 * d_ff + weights
    assert_row(HyperConnections(), Row(
        n_s * d * WEIGHTS + WEIGHTS + 3 + 2 * d * d_ff + d + d_ff,
        2 * B * T * (n_s * d * WEIGHTS + n_s**2 * d + 2 * d * d_ff),
        B * T * kept, (B, T, n_s, d),
    ))  # fmt: skip


def test_without_mixing():
    """Kept: the same without matrices, and without the product that scales what is written."""
    weights = 2 * n_s
    assert_row(HyperConnections(mixed=False), Row(
        n_s * d * weights + weights + 2 + 2 * d * d_ff + d + d_ff,
        2 * B * T * (n_s * d * weights + 2 * d * d_ff),
        B * T * (2 * n_s * d + 2 * d + 2 * d_ff + weights + 1 + 4 * n_s), (B, T, n_s, d),
    ))  # fmt: skip
