"""Deformable DETR: what its maps, blocks and heads learn and do, counted by hand."""

import pytest
from sympy import Integer

from symledger import derive
from symledger.models.deformable_detr.model import DeformableDetr, SeeingMaps
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params
from symledger.sizes import (
    B,
    C_i,
    H_i,
    L_dec,
    L_enc,
    W_i,
    Y,
    d,
    d_dec,
    d_ff,
    h,
    n_pt,
    n_ptd,
    n_q,
)  # fmt: skip
from tests.components.tables import assert_counts

PLACES = [H_i[i] * W_i[i] for i in (2, 3, 4, 5)]
READ = {"one": PLACES[2:3], "three": PLACES[:3], "four": PLACES}
GUESS, SORT = 2 * d**2 + 6 * d + 4, (d + 1) * Y
TOLD, SORTED = 2 * d**2 + 4 * d, d * Y


def network(inside):
    """Weights of a network and of the norm behind it."""
    return 2 * d * inside + inside + 3 * d


def looking(looks):
    """Weights of deformable attention with so many places, and of the norm behind it."""
    return 2 * d**2 + 4 * d + 3 * (d + 1) * looks


def count(head, levels):
    """Weights, and FLOPs of an image."""
    seen = program_of(SeeingMaps(head=False, C_g=C_i[0] / 4, G=Integer(1)))
    weights, flops = params(seen).total, contraction_flops(seen).total / B
    places, widths = READ[levels], C_i[3:4] if levels == "one" else C_i[1:4]
    S, F = sum(places, Integer(0)), len(places)
    for width, n in zip(widths, places, strict=False):
        weights += width * d + 3 * d
        flops += 2 * n * width * d
    if levels == "four":
        weights += 9 * C_i[3] * d + 3 * d
        flops += 18 * PLACES[3] * C_i[3] * d
    looks, looked = h * F * n_pt, h * F * n_ptd
    weights += F * d + L_enc * (looking(looks) + network(d_ff))
    flops += 2 * L_enc * S * (2 * d**2 + 3 * d * looks + 2 * d * d_ff)
    layer, turn = looking(looked) + 4 * d**2 + 6 * d + network(d_dec), S * d**2
    turn += n_q * (5 * d**2 + 2 * n_q * d + 3 * d * looked + 2 * d * d_dec)
    if head == "chosen":
        weights += d**2 + 3 * d + SORT + GUESS + 4 * d**2 + 6 * d
        flops += 2 * S * (d**2 + SORTED + TOLD) + 8 * n_q * d**2
        layer, turn = layer + SORT + GUESS, turn + n_q * (SORTED + 2 * TOLD)
    else:
        weights += 2 * n_q * d + 2 * d + 2
        flops += 4 * n_q * d
    if head == "boxes":
        weights, turn = weights + SORT + GUESS, turn + n_q * (SORTED + TOLD)
    if head == "refined":
        weights, layer, turn = weights + SORT, layer + GUESS, turn + n_q * (SORTED + 2 * TOLD)
    return weights + L_dec * layer, B * (flops + 2 * L_dec * turn)


@pytest.mark.parametrize("levels", ["one", "three", "four"])
@pytest.mark.parametrize("head", ["bare", "boxes", "refined", "chosen"])
def test_places_of_several_maps_look_at_a_few_of_them(head, levels):
    weights, flops = count(head, levels)
    assert_counts(DeformableDetr(head=head, levels=levels, h_dec=h), weights, flops)


def test_places_may_be_told_by_rows_and_columns_that_all_maps_share():
    weights, flops = count("boxes", "four")
    assert_counts(DeformableDetr(places="learned", h_dec=h), weights + 50 * d, flops)


def test_images_are_of_any_size():
    found = derive("deformable_detr", {"H": 801, "W": 1199})
    assert found.symbols
    assert found["params"].value == derive("deformable_detr")["params"].value
