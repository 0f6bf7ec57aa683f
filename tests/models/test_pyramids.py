"""Pyramids of attention: what their stages and heads learn and do, counted by hand."""

import pytest

from symledger.models.pvt.model import Pvt, PvtV2
from symledger.models.segformer.model import Segformer
from symledger.models.shared.pyramid import STAGES
from symledger.sizes import B, C, C_i, C_in, H_i, H_ri, L_i, W_i, W_ri, Y, f_i, r_i
from tests.components.tables import assert_counts

PLACES = [H_i[i] * W_i[i] for i in STAGES]
BEFORE = [C_in, *C_i[:3]]


def stages(windows, mixed, reduced, qkv=3, more=0):
    """Weights and FLOPs of all stages: windows that make images smaller, then blocks."""
    weights, flops = 0, 0
    for i in STAGES:
        d, f, side, places = C_i[i], f_i[i], windows[i], PLACES[i]
        vectors = places + (more if i == 3 else 0)
        weights += BEFORE[i] * side**2 * d + d + 2 * d
        flops += 2 * B * places * BEFORE[i] * side**2 * d
        keys = H_ri[i] * W_ri[i] if i < reduced else vectors
        block = 4 * d**2 + (1 + qkv) * d + 4 * d + 2 * d * f + f + d
        work = 4 * vectors * d**2 + 4 * keys * d**2 + 4 * vectors * keys * d + 4 * vectors * d * f
        if mixed:
            block += 10 * f
            work += 18 * places * f
        if i < reduced:
            block += r_i[i] ** 2 * d**2 + 3 * d
            work += 2 * keys * r_i[i] ** 2 * d**2
        weights += L_i[i] * block
        flops += B * L_i[i] * work
    return weights, flops


NORMS = sum(2 * C_i[i] for i in STAGES)


@pytest.mark.parametrize(("reduced", "number"), [("none", 0), ("one", 1), ("three", 3), ("all", 4)])
def test_a_pyramid_of_overlapping_patches(reduced, number):
    weights, flops = stages((7, 3, 3, 3), True, number)
    model = PvtV2(head="bare", reduced=reduced)
    assert_counts(model, weights + NORMS, flops)


def test_places_are_sorted_by_affine_maps():
    weights, flops = stages((7, 3, 3, 3), True, 3)
    weights += NORMS + sum(C_i[i] * C + C for i in STAGES) + 4 * C**2 + 2 * C + C * Y + Y
    flops += 2 * B * sum(PLACES[i] * C_i[i] * C for i in STAGES)
    flops += 2 * B * PLACES[0] * (4 * C**2 + C * Y)
    assert_counts(Segformer(), weights, flops)


@pytest.mark.parametrize("qkv_bias", [True, False])
def test_a_pyramid_with_positions_and_a_class_vector(qkv_bias):
    weights, flops = stages((4, 2, 2, 2), False, 3, 3 * qkv_bias, more=1)
    weights += sum(PLACES[i] * C_i[i] for i in STAGES) + 2 * C_i[3] + 2 * C_i[3]
    weights += C_i[3] * Y + Y
    assert_counts(Pvt(qkv_bias=qkv_bias), weights, flops + 2 * B * C_i[3] * Y)
