"""Deformable attention: what it learns and does, counted by hand."""

import pytest

from symledger import derive
from symledger.components.attention.deformable import DeformableAttention
from symledger.sizes import B, S, T, d, d_h, h, n_lev, n_pt
from tests.components.tables import assert_counts

LOOKS = h * n_lev * n_pt


def test_four_maps_are_all_that_is_multiplied():
    weights = 2 * d * h * d_h + h * d_h + d + 3 * (d + 1) * LOOKS
    flops = 2 * B * (S + T) * d * h * d_h + 6 * B * T * d * LOOKS
    assert_counts(DeformableAttention(), weights, flops)


@pytest.mark.parametrize("levels", [1, 4])
def test_it_learns_as_many_as_in_the_paper(levels):
    """Zhu et al. (2021), section 4.1: C = 256, M = 8, K = 4."""
    found = derive("deformable_attention", {"d": 256, "h": 8, "n_lev": levels, "n_pt": 4})
    assert found.params.value == 2 * (256**2 + 256) + 257 * 3 * 8 * levels * 4
