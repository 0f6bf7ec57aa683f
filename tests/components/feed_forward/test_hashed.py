"""A mixture that a table routes: counts by hand."""

import pytest

from symledger.components.feed_forward.hashed import HashRoutedMixture
from symledger.sizes import B, E, T, d, d_ff, k
from tests.components.tables import Row, assert_row


@pytest.mark.parametrize("hashed", [False, True])
def test_hash_routed_mixture(hashed):
    """Kept: rows; of each expert's score what a softplus takes and gives (its root); of each row of
    an expert where it came from, what was given, made, four hidden values and two of cutting off,
    its score, the sum that divides it and the share; which experts were chosen."""
    rows, routed = B * T, B * T * k
    kept = rows * (d + 2 * E) + routed * (2 * d + 6 * d_ff + 5)
    assert_row(HashRoutedMixture(hashed=hashed), Row(
        3 * E * d * d_ff + E * d, 2 * routed * 3 * d * d_ff + 2 * rows * d * E, kept, (B, T, d),
    ))  # fmt: skip
