"""Attention in windows of images: what it learns and does, counted by hand."""

import pytest

from symledger import derive
from symledger.components.attention.shifted import WindowedImageAttention
from symledger.sizes import B, H_w, M, W_w, d, d_k, h
from tests.components.tables import assert_counts

PLACES = B * H_w * W_w * M**2


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_places_of_whole_windows_see_their_own(shifted, bias):
    weights = 4 * d * h * d_k + d + 3 * bias * h * d_k + (2 * M - 1) ** 2 * h
    flops = 8 * PLACES * d * h * d_k + 4 * PLACES * M**2 * h * d_k
    assert_counts(WindowedImageAttention(shifted=shifted, bias=bias), weights, flops)


def test_what_is_filled_up_is_computed():
    sizes = {"B": 1, "d": 24, "h": 3, "M": 7}
    whole, more = (
        derive("windowed_image_attention", {**sizes, "H": n, "W": 14}).flops_forward.value
        for n in (14, 15)
    )
    assert 2 * more == 3 * whole
