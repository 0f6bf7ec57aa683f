"""Swin: what four stages of windows learn and do, counted by hand."""

import pytest

from symledger.models.swin.model import STAGES, Swin
from symledger.models.swinv2.model import SwinV2
from symledger.sizes import B, C, C_in, H_i, H_wi, L_i, M, M_i, P, W_i, W_wi, Y, h_i, t
from tests.components.tables import assert_counts

WIDTHS = [2**i * C for i in STAGES]
PLACES = [B * H * W for H, W in zip(H_i, W_i, strict=False)]
WHOLE = [B * H * W * M**2 for H, W in zip(H_wi, W_wi, strict=True)]


@pytest.mark.parametrize(
    ("head", "qkv_bias", "placed", "final_norm"),
    [(True, True, False, True), (False, False, True, True), (False, True, True, False)],
)
def test_four_stages_of_windows_are_counted_by_hand(head, qkv_bias, placed, final_norm):
    weights = C_in * P**2 * C + 3 * C + (H_i[0] * W_i[0] * C if placed else 0)
    flops = 2 * PLACES[0] * C_in * P**2 * C
    for at, d in enumerate(WIDTHS):
        block = (4 + 2 * t) * d**2 + (6 + 3 * qkv_bias + t) * d + (2 * M - 1) ** 2 * h_i[at]
        seen = WHOLE[at] * (8 * d**2 + 4 * M**2 * d)
        weights += L_i[at] * block
        flops += L_i[at] * (seen + 4 * PLACES[at] * t * d**2)
    for at, d in enumerate(WIDTHS[:-1]):
        weights += 8 * d**2 + 8 * d
        flops += 16 * PLACES[at + 1] * d**2
    weights += (16 * C if final_norm else 0) + ((8 * C + 1) * Y if head else 0)
    flops += 16 * B * C * Y if head else 0
    model = Swin(head=head, qkv_bias=qkv_bias, placed=placed, final_norm=final_norm)
    assert_counts(model, weights, flops)


@pytest.mark.parametrize("qkv_bias", [True, False])
def test_biases_that_a_network_makes_are_counted_by_hand(qkv_bias):
    weights, flops = C_in * P**2 * C + 3 * C, 2 * PLACES[0] * C_in * P**2 * C
    for at, d in enumerate(WIDTHS):
        side, ways = M_i[at], (2 * M_i[at] - 1) ** 2
        block = (4 + 2 * t) * d**2 + (6 + 2 * qkv_bias + t) * d + 3 * 512 + 513 * h_i[at]
        windows = B * H_wi[at] * W_wi[at] * side**2
        seen = windows * (8 * d**2 + 4 * side**2 * d) + ways * 1024 * (2 + h_i[at])
        weights += L_i[at] * block
        flops += L_i[at] * (seen + 4 * PLACES[at] * t * d**2)
    for at, d in enumerate(WIDTHS[:-1]):
        weights += 8 * d**2 + 4 * d
        flops += 16 * PLACES[at + 1] * d**2
    weights += 16 * C + (8 * C + 1) * Y
    assert_counts(SwinV2(qkv_bias=qkv_bias), weights, flops + 16 * B * C * Y)
