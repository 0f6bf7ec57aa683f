"""Attention among the places of images: what it learns and does, counted by hand."""

import pytest

from symledger import derive
from symledger.components.attention.grid import GridAttention
from symledger.components.attention.shifted import WindowedImageAttention
from symledger.sizes import B, H_p, H_w, M, W_p, W_w, d, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_counts, assert_row

T = H_p * W_p
WAYS = (2 * H_p - 1) * (2 * W_p - 1)
PLACES = B * H_w * W_w * M**2


def test_a_grid_has_a_number_for_each_way():
    kept = B * T * (h * d_k + h_kv * (d_k + d_v)) + B * h * T**2
    row = Row(WAYS * h, 2 * B * T**2 * h * (d_k + d_v), kept, (B, T, h, d_v))
    assert_row(GridAttention(), row)


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
    assert (whole, more) == (4 * whole // 4, 6 * whole // 4)
