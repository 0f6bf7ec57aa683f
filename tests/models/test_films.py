"""Transformers over films and spectra: what they learn and do, counted by hand."""

import pytest

from symledger.models.spectrogram.model import SpectrogramTransformer
from symledger.models.timesformer.model import TimeSformer
from symledger.models.vivit.model import VideoMAE, Vivit
from symledger.sizes import (
    B,
    C_in,
    D,
    H_p,
    L,
    L_dec,
    P,
    P_t,
    T,
    T_s,
    Y,
    d,
    d_dec,
    d_drw,
    d_ff,
    h,
    h_dec,
)
from tests.components.tables import assert_counts


def block(width, inside, biases):
    """Weights of a pre-LN block."""
    return 4 * width**2 + biases * width + 2 * width * inside + inside + width + 4 * width


def work(width, inside, rows, pairs):
    """FLOPs of a block on so many vectors, of which so many pairs see each other."""
    return rows * (8 * width**2 + 4 * width * inside) + 4 * pairs * width


@pytest.mark.parametrize(("qkv_bias", "biases"), [(True, 4), (False, 1)])
def test_a_film_is_cut_into_blocks(qkv_bias, biases):
    block_of = C_in * P_t * P**2
    weights = block_of * d + d + d + T * d + L * block(d, d_ff, biases) + 2 * d + d * Y + Y
    flops = 2 * B * (T - 1) * block_of * d + L * work(d, d_ff, B * T, B * T**2) + 2 * B * d * Y
    assert_counts(Vivit(qkv_bias=qkv_bias, d_h=d / h), weights, flops)


@pytest.mark.parametrize("averaged", [True, False])
def test_places_of_blocks_are_not_learned(averaged):
    block_of = C_in * P_t * P**2
    weights = block_of * d + d + L * block(d, d_ff, 3) + 2 * d + d * Y + Y
    flops = 2 * B * T * block_of * d + L * work(d, d_ff, B * T, B * T**2) + 2 * B * d * Y
    assert_counts(VideoMAE(averaged=averaged, d_h=d / h), weights, flops)


def test_blocks_that_were_hidden_are_drawn():
    block_of = C_in * P_t * P**2
    model = VideoMAE(head="drawn", d_h=d / h, d_hd=d_drw / h_dec)
    weights = block_of * d + d + L * block(d, d_ff, 3) + d * d_drw + d_drw
    weights += L_dec * block(d_drw, d_dec, 3) + 2 * d_drw + d_drw * block_of + block_of
    flops = 2 * B * T * block_of * d + L * work(d, d_ff, B * T_s, B * T_s**2)
    flops += 2 * B * T_s * d * d_drw + L_dec * work(d_drw, d_dec, B * T, B * T**2)
    flops += 2 * B * (T - T_s) * d_drw * block_of
    assert_counts(model, weights, flops)


KINDS = [("divided", 2, B * ((T - 1) * D**2 + D * T**2)), ("joint", 1, B * (D * (T - 1) + 1) ** 2)]


@pytest.mark.parametrize(("kind", "attentions", "pairs"), KINDS)
def test_attention_along_frames_and_inside_of_each(kind, attentions, pairs):
    places, square = D * (T - 1), C_in * P**2
    layer, rows = block(d, d_ff, 4), places + 1
    flops = L * work(d, d_ff, B * rows, pairs)
    if attentions == 2:
        layer += 5 * d**2 + 5 * d + 2 * d
        flops += L * B * (places * 10 * d**2 + (D - 1) * 8 * d**2)
    weights = square * d + d + d + T * d + D * d + L * layer + 2 * d + d * Y + Y
    flops += 2 * B * places * square * d + 2 * B * d * Y
    assert_counts(TimeSformer(attention=kind, d_h=d / h), weights, flops)


def test_frames_may_be_seen_one_by_one():
    square = C_in * P**2
    weights = square * d + d + d + T * d + L * block(d, d_ff, 4) + 2 * d + d * Y + Y
    flops = 2 * B * D * (T - 1) * square * d + L * work(d, d_ff, B * D * T, B * D * T**2)
    assert_counts(TimeSformer(attention="space", d_h=d / h), weights, flops + 2 * B * D * d * Y)


def test_patches_of_a_spectrum_overlap():
    weights = P**2 * d + d + 2 * d + T * d + L * block(d, d_ff, 4) + 4 * d + d * Y + Y
    flops = 2 * B * (T - 2) * P**2 * d + L * work(d, d_ff, B * T, B * T**2) + 2 * B * d * Y
    assert_counts(SpectrogramTransformer(d_h=d / h, H_p=H_p), weights, flops)
