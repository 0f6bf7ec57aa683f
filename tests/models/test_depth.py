"""Depth Anything: what fuses maps of four sizes, counted by hand."""

from sympy import Integer

from symledger.models.depth_anything.model import DepthAnything
from symledger.sizes import B, C, C_i, C_in, C_out, H_o, H_p, L_i, P, T, W_o, d, d_ff, h
from tests.components.tables import assert_counts

PLACES = T - 1
"""Of the map of patches."""


def window(before, after, side=3, bias=1):
    return before * after * side**2 + bias * after


def test_maps_of_four_sizes_are_fused():
    L = sum(L_i[:4], Integer(0))
    block = 4 * d**2 + 8 * d + 2 * d * d_ff + d_ff + d + 2 * d
    weights = C_in * P**2 * d + 3 * d + T * d + L * block + 2 * d
    flops = 2 * B * PLACES * C_in * P**2 * d
    flops += L * B * (T * (8 * d**2 + 4 * d * d_ff) + 4 * T**2 * d)
    sizes = [16 * PLACES, 4 * PLACES, PLACES, H_o * W_o]
    for i, (channels, places) in enumerate(zip(C_i[:4], sizes, strict=True)):
        weights += d * channels + channels + channels * 9 * C
        flops += 2 * B * (PLACES * d * channels + places * channels * 9 * C)
        resize = [16, 4, 0, 9][i] * channels**2
        weights += resize + (channels if resize else 0)
        flops += 2 * B * (places if i == 3 else PLACES) * resize
    after = [64 * PLACES, *sizes[:3]]
    for i, places in enumerate(sizes):
        weights += 4 * window(C, C) + window(C, C, 1)
        units = 2 if i == 3 else 4
        flops += 2 * B * (places * units * 9 * C**2 + after[i] * C**2)
    pixels = PLACES * P**2
    weights += window(C, C / 2) + window(C / 2, C_out) + C_out + 1
    flops += 2 * B * (64 * PLACES * 9 * C**2 / 2 + pixels * (9 * C / 2 * C_out + C_out))
    assert_counts(DepthAnything(d_h=d / h, H_p=H_p), weights, flops)
