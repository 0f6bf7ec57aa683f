"""BEiT, YOLOS, masked autoencoders, PoolFormer, RegNet and DETR: counted by hand."""

import pytest

from symledger.models.beit.model import Beit
from symledger.models.conditional_detr.model import Conditional, NearBoxes
from symledger.models.poolformer.model import PoolingBlock
from symledger.models.regnet.model import GroupedBlock
from symledger.models.shared.detection import Boxes, FindingBlock, QueryBlock
from symledger.models.table_transformer.model import EarlyQueryBlock
from symledger.models.vit_mae.model import MaskedAutoencoder
from symledger.models.yolos.model import Yolos
from symledger.notation.calling import program_of
from symledger.readings.params import params, trained_params
from symledger.sizes import (
    B,
    C,
    C_in,
    C_s,
    G,
    H,
    H_p,
    K,
    L,
    L_dec,
    P,
    S,
    T,
    T_s,
    V,
    W,
    Y,
    d,
    d_dec,
    d_drw,
    d_ff,
    d_h,
    d_hd,
    h,
    h_dec,
    n,
    n_q,
)  # fmt: skip
from tests.components.tables import assert_counts

ACROSS = (T - 1) / H_p
TABLE = ((2 * H_p - 1) * (2 * ACROSS - 1) + 3) * h
ATTENDED = 4 * d * h * d_h + 2 * h * d_h + d
BLOCK = ATTENDED + 4 * d + 2 * d * d_ff + d_ff + d
WORK = 8 * T * d * h * d_h + 4 * T**2 * h * d_h + 4 * T * d * d_ff


@pytest.mark.parametrize(
    ("ways", "own", "shared"), [("own", TABLE, 0), ("shared", 0, TABLE), ("none", 0, 0)]
)
def test_ways_between_places_are_learned_by_each_layer_or_by_all(ways, own, shared):
    weights = C_in * P**2 * d + 2 * d + L * (BLOCK + 2 * d + own) + shared + 2 * d + d * Y + Y
    flops = B * (2 * (T - 1) * C_in * P**2 * d + L * WORK + 2 * d * Y)
    assert_counts(Beit(ways=ways), weights, flops)


def test_visual_tokens_are_scored_for_each_patch():
    weights = C_in * P**2 * d + 2 * d + L * BLOCK + 4 * d + d * V + V + T * d + d
    flops = B * (2 * (T - 1) * C_in * P**2 * d + L * WORK + 2 * (T - 1) * d * V)
    beit = Beit(head="tokens", ways="none", scaled=False, averaged=False, placed=True, hiding=True)
    assert_counts(beit, weights, flops)


@pytest.mark.parametrize("placed", [True, False])
def test_vectors_look_for_objects(placed):
    block = 4 * d**2 + 8 * d + 2 * d * d_ff + d_ff + d
    found = 4 * (d**2 + d) + d * (Y + 1) + Y + 1 + 4 * d + 4
    weights = C_in * P**2 * d + 2 * d + n_q * d + T * d + L * block + 2 * d + found
    weights += (L - 1) * T * d if placed else 0
    flops = B * (2 * (T - 1 - n_q) * C_in * P**2 * d + 2 * n_q * (4 * d**2 + d * (Y + 1) + 4 * d))
    flops += B * L * (8 * T * d**2 + 4 * T**2 * d + 4 * T * d * d_ff)
    assert_counts(Yolos(placed=placed), weights, flops)


def block_of(D, n, wide, hidden):
    """Weights and FLOPs of a pre-LN block of n vectors."""
    weights = 4 * D * wide + 3 * wide + D + 4 * D + 2 * D * hidden + hidden + D
    return weights, n * (8 * D * wide + 4 * D * hidden) + 4 * n**2 * wide


def test_the_decoder_draws_all_patches_and_the_encoder_sees_few():
    weights, flops = block_of(d, T_s + 1, h * d_h, d_ff)
    drawn, drawing = block_of(d_drw, T, h_dec * d_hd, d_dec)
    pixels = C_in * P**2
    both = T * d + T * d_drw
    weights = pixels * d + 2 * d + L * weights + 2 * d + d * d_drw + 2 * d_drw + L_dec * drawn
    weights += 2 * d_drw + d_drw * pixels + pixels + both
    flops = 2 * (T - 1) * pixels * d + L * flops + 2 * (T_s + 1) * d * d_drw + L_dec * drawing
    model = MaskedAutoencoder()
    assert_counts(model, weights, B * (flops + 2 * T * d_drw * pixels))
    assert trained_params(program_of(model)).total.expand() == (weights - both).expand()


@pytest.mark.parametrize("scaled", [True, False])
def test_means_over_neighbours_have_no_weights(scaled):
    weights = 4 * C + 2 * C * d_ff + d_ff + C + (2 * C if scaled else 0)
    assert_counts(PoolingBlock(C, d_ff, K, scaled), weights, 4 * B * H * W * C * d_ff)


@pytest.mark.parametrize("squeezed", [True, False])
def test_blocks_are_as_wide_inside_as_outside(squeezed):
    weights = C**2 + 9 * C**2 / G + C**2 + 6 * C
    flops = B * H * W * (4 * C**2 + 18 * C**2 / G)
    if squeezed:
        weights += 2 * C * C_s + C_s + C
        flops += 4 * B * C * C_s
    block = GroupedBlock(C, C, 1, G, C_s, H, W, squeezed, "relu")
    assert_counts(block, weights, flops)


def test_values_are_not_told_where_they_stand():
    norm, network = 2 * d, 2 * d * d_ff + d_ff + d
    attention = 4 * d**2 + 4 * d
    assert_counts(
        FindingBlock(d, h, d_ff), attention + network + 2 * norm,
        8 * B * T * d**2 + 4 * B * T**2 * d + 4 * B * T * d * d_ff,
    )  # fmt: skip
    for block in (QueryBlock, EarlyQueryBlock):
        found = params(program_of(block(d, h, d_ff))).total
        assert found.expand() == (2 * attention + network + 3 * norm).expand()


@pytest.mark.parametrize("first", [False, True])
def test_what_is_there_and_where_are_mapped_apart(first):
    """Queries are mapped twice, by the first block three times; heads are twice as wide."""
    here, there = 4 + first, 3
    assert_counts(
        Conditional(d, h, first), (here + there) * (d**2 + d) - (d**2 + d),
        B * (2 * d**2 * ((here - 1) * n + there * S) + 6 * n * S * d),
    )  # fmt: skip


def test_a_place_of_two_numbers_is_added_to_a_box():
    weights = d * Y + Y + 2 * (d**2 + d) + 4 * d + 4
    assert_counts(NearBoxes(d, Y), weights, B * n * (2 * d * Y + 4 * d**2 + 8 * d))


def test_a_box_is_made_by_three_maps():
    weights = d * (Y + 1) + Y + 1 + 2 * (d**2 + d) + 4 * d + 4
    assert params(program_of(Boxes(d, Y), {"x": "B T d"})).total.expand() == weights.expand()
