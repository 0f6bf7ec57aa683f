"""MaskFormer: what fuses maps, queries and their masks learn and do, counted by hand."""

import pytest

from symledger.models.maskformer.model import MaskFormer
from symledger.models.swin.model import STAGES, Swin
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params, trained_params
from symledger.sizes import B, C, C_fpn, H_i, L_dec, W_i, Y, d, d_dec, d_msk, n_q
from tests.components.tables import assert_counts

PLACES = [H_i[at] * W_i[at] for at in STAGES]
WIDTHS = [2**at * C for at in STAGES]


@pytest.mark.parametrize("projected", [True, False])
@pytest.mark.parametrize("head", ["masks", "bare"])
def test_queries_are_classes_and_masks(head, projected):
    seen, wide = program_of(Swin(head=False)), d if projected else 8 * C
    weights, flops = params(seen).total + 2 * sum(WIDTHS), contraction_flops(seen).total / B
    for at, (width, places) in enumerate(zip(WIDTHS, PLACES, strict=True)):
        last = at == STAGES[-1]
        weights += (9 if last else 1) * width * C_fpn + 2 * C_fpn
        flops += 2 * places * (9 if last else 1) * width * C_fpn
        weights += 0 if last else 9 * C_fpn**2 + 2 * C_fpn
        flops += 0 if last else 18 * places * C_fpn**2
    weights += 9 * C_fpn * d_msk + d_msk + n_q * wide + 2 * wide
    flops += 18 * PLACES[0] * C_fpn * d_msk
    if projected:
        weights, flops = weights + (8 * C + 1) * d, flops + 16 * PLACES[3] * C * d
    layer = 8 * wide**2 + 8 * wide + 2 * wide * d_dec + d_dec + wide + 6 * wide
    work = n_q * (12 * wide**2 + 4 * wide * d_dec) + 4 * PLACES[3] * wide**2
    work += 4 * n_q * wide * (n_q + PLACES[3])
    weights, flops = weights + L_dec * layer, flops + L_dec * work
    if head == "masks":
        weights += (wide + 1) * (Y + 1) + 2 * wide**2 + 2 * wide + (wide + 1) * d_msk
        flops += 2 * n_q * (wide * (Y + 1) + 2 * wide**2 + wide * d_msk + d_msk * PLACES[0])
    model = MaskFormer(head=head, projected=projected)
    assert_counts(model, weights, B * flops)
    program = program_of(model)
    assert params(program).total - trained_params(program).total == 16 * C
