"""AIMv2 and MobileNetV1: what they learn and do, counted by hand."""

import pytest

from symledger.models.aimv2.model import Aimv2
from symledger.models.mobilenet_v1.model import MobileNetV1
from symledger.sizes import B, C, C_i, C_in, H_i, H_p, L, L_i, P, W_i, W_p, Y, d, d_ff
from tests.components.tables import assert_counts


@pytest.mark.parametrize("biases", [0, 1])
@pytest.mark.parametrize(("pooled", "native"), [(True, False), (False, True)])
def test_layers_of_a_decoder_see_patches(pooled, native, biases):
    T, square = H_p * W_p, C_in * P**2
    block = 4 * d**2 + 3 * d * d_ff + 2 * d + biases * (5 * d + 2 * d_ff)
    weights = square * d + 2 * d + (0 if native else T * d) + L * block + d
    flops = 2 * B * T * square * d + L * B * (T * (8 * d**2 + 6 * d * d_ff) + 4 * T**2 * d)
    if pooled:
        weights += 3 * d**2 + 2 * d + biases * 2 * d
        flops += B * (4 * T * d**2 + 4 * T * d + 2 * d**2)
    said = {"qkv_bias": biases == 1, "mlp_bias": biases == 1}
    assert_counts(Aimv2(pooled=pooled, native=native, **said), weights, flops)


@pytest.mark.parametrize("head", [True, False])
def test_convolutions_in_two(head):
    places = [B * H * W for H, W in zip(H_i, W_i, strict=False)]
    weights, flops, before = 9 * C_in * C + 2 * C, 18 * places[0] * C_in * C, C
    for width, number, n in zip(C_i[:5], L_i[:5], places, strict=False):
        for channels, times in ((before, 1), (width, number - 1)):
            weights += times * (11 * channels + channels * width + 2 * width)
            flops += times * n * (18 * channels + 2 * channels * width)
        before = width
    weights += (before + 1) * Y if head else 0
    assert_counts(MobileNetV1(head=head), weights, flops + (2 * B * before * Y if head else 0))
