"""Segment Anything: what prompts and the decoder of masks learn and do, counted by hand."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput
from symledger.models.sam.model import Sam
from symledger.models.sam_vision.model import SamVision
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params
from symledger.sizes import (
    B,
    C,
    C_msk,
    H_p,
    L_dec,
    W_p,
    d_dec,
    d_iou,
    n_msk,
    n_pnt,
    n_prm,
)
from tests.components.tables import assert_counts

PLACES, N = H_p * W_p, B * n_prm
TOKENS = n_msk + 2 + n_pnt
"""Vectors of a prompt, and those that are learned before them."""


def attention(inside):
    """Weights of an attention whose heads are so wide together."""
    return 4 * C * inside + 3 * inside + C


def crossing(queries, keys):
    """FLOPs of one that is half as wide as vectors, from so many to so many."""
    return N * (2 * (2 * queries + 2 * keys) * C * C / 2 + 4 * queries * keys * C / 2)


def test_masks_are_drawn_for_prompts():
    seen = program_of(SamVision())
    weights, flops = params(seen).total, contraction_flops(seen).total
    few = C_msk / 4
    weights += 4 * few + few + 2 * few + 4 * few * C_msk + 3 * C_msk + C_msk * C + C
    weights += C / 2 * 2 + 4 * C + C + C + (n_msk + 2) * C
    flops += 2 * C * PLACES + 2 * N * n_pnt * C
    layer = attention(C) + 2 * attention(C / 2) + 2 * C * d_dec + d_dec + C + 8 * C
    weights += L_dec * layer + attention(C / 2) + 2 * C
    work = N * (8 * TOKENS * C**2 + 4 * TOKENS**2 * C + 4 * TOKENS * C * d_dec)
    work += crossing(TOKENS, PLACES) + crossing(PLACES, TOKENS)
    flops += L_dec * work + crossing(TOKENS, PLACES)
    weights += C**2 + C / 4 + C / 2 + 4 * C / 4 * C / 8 + C / 8
    flops += 2 * N * (PLACES * C**2 + 4 * PLACES * 4 * C / 4 * C / 8)
    masks = n_msk + 1
    weights += masks * (2 * C**2 + 2 * C + C * C / 8 + C / 8)
    flops += 2 * N * masks * (2 * C**2 + C * C / 8 + C / 8 * 16 * PLACES)
    weights += C * d_iou + d_iou + d_iou**2 + d_iou + d_iou * masks + masks
    flops += 2 * N * (C * d_iou + d_iou**2 + d_iou * masks)
    assert_counts(Sam(), weights, flops)


def test_an_encoder_without_windows_is_refused_within_the_whole(tmp_path):
    every = {"num_hidden_layers": 2, "global_attn_indexes": [0, 1]}
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"model_type": "sam", "vision_config": every}))
    with pytest.raises(BadInput, match=r"global_attn_indexes = \[0, 1\] of vision_config"):
        derive(str(file))
