"""Blocks of networks of images, each a row of a table that was counted by hand."""

import pytest

from symledger import derive, sizes
from symledger.components.blocks.conditioned import ConditionedBlock
from symledger.components.blocks.step_embedding import StepEmbedding
from symledger.components.image_blocks.convnext import ConvNeXtBlock
from symledger.components.image_blocks.diffusion import SpatialTransformer, StepResidual
from symledger.components.image_blocks.inverted import InvertedResidual, SqueezeExcitation
from symledger.components.image_blocks.patches import ImageEmbedding, PatchEmbedding
from symledger.components.image_blocks.residual import BasicBlock, Bottleneck
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.errors import BadInput
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params
from symledger.sizes import (
    B,
    C,
    C_in,
    C_out,
    C_s,
    G,
    H,
    H_o,
    H_p,
    K,
    P,
    S,
    T,
    W,
    W_o,
    W_p,
    d,
    d_ctx,
    d_f,
    d_ff,
    t,
)

IN, OUT = B * H * W, B * H_o * W_o
C_t = t * C_in
ROWS = [
    # one kernel, and two numbers a channel for its norm
    (ConvolutionUnit(), C_in * C_out * K**2 / G + 2 * C_out, 2 * OUT * C_in * C_out * K**2 / G),
    # 3 × 3 twice, 1 × 1 for the shortcut, three norms
    (BasicBlock(), 10 * C_in * C_out + 9 * C_out**2 + 6 * C_out,
     2 * OUT * (10 * C_in * C_out + 9 * C_out**2)),
    # where the shape stays there is no shortcut: torchvision's BasicBlock(64, 64) has 73,984
    (BasicBlock(64, 64, 1, H, W), 73984, 2 * 2 * 36864 * IN),
    (Bottleneck(), C_in * C + 9 * C**2 / G + C * C_out + C_in * C_out + 4 * C + 4 * C_out,
     2 * IN * C_in * C + 2 * OUT * (9 * C**2 / G + C * C_out + C_in * C_out)),
    # halved by the first map already, the second sees a quarter of the places
    (Bottleneck(s=2, early=True),
     C_in * C + 9 * C**2 / G + C * C_out + C_in * C_out + 4 * C + 4 * C_out,
     2 * OUT * (C_in * C + 9 * C**2 / G + C * C_out + C_in * C_out)),
    # torchvision's Bottleneck(256, 64): 256 · 64 + 9 · 64² + 64 · 256, norms of 64, 64 and 256
    (Bottleneck(256, 256, 1, H, W, C=64, G=1), 70400, 2 * 69632 * IN),
    (SqueezeExcitation(), 2 * C * C_s + C + C_s, 4 * B * C * C_s),
    (InvertedResidual(), C_in * C_t + K**2 * C_t + C_t * C_out + 4 * C_t + 2 * C_out,
     2 * IN * C_in * C_t + 2 * OUT * (K**2 * C_t + C_t * C_out)),
    (InvertedResidual(expanded=False), K**2 * C_in + C_in * C_out + 2 * C_in + 2 * C_out,
     2 * OUT * (K**2 * C_in + C_in * C_out)),
    # squeezed to a quarter of what entered: two maps with biases, and once for each image
    (InvertedResidual(squeezed=True),
     C_in * C_t + K**2 * C_t + C_t * C_out + 4 * C_t + 2 * C_out
     + C_t * C_in / 2 + C_t + C_in / 4,
     2 * IN * C_in * C_t + 2 * OUT * (K**2 * C_t + C_t * C_out) + B * C_t * C_in),
    (PatchEmbedding(), C_in * P**2 * d + d, 2 * B * H_p * W_p * C_in * P**2 * d),
    (PatchEmbedding(bias=False), C_in * P**2 * d, 2 * B * H_p * W_p * C_in * P**2 * d),
    # a class vector and a row for each of T places; the class vector is no patch
    (ImageEmbedding(), C_in * P**2 * d + 2 * d + T * d, 2 * B * (T - 1) * C_in * P**2 * d),
    # 7 × 7 a channel, a norm, two maps with biases, a factor a channel
    (ConvNeXtBlock(), 50 * C + 2 * C + 8 * C**2 + 5 * C + C, 2 * IN * (49 * C + 8 * C**2)),
    (ConvNeXtBlock(scaled=False), 8 * C**2 + 57 * C, 2 * IN * (49 * C + 8 * C**2)),
    # six vectors from the condition, four maps of attention, two of the network, bare norms
    (ConditionedBlock(d_h=d / sizes.h),
     6 * d**2 + 6 * d + 4 * d**2 + 4 * d + 2 * d * d_ff + d_ff + d,
     12 * B * d**2 + B * T * (8 * d**2 + 4 * d * d_ff) + 4 * B * T**2 * d),
    (StepEmbedding(), d_f * d + d**2 + 2 * d, 2 * B * (d_f * d + d**2)),
    (StepResidual(), 2 * C_in + 2 * C_out + 9 * C_in * C_out + 9 * C_out**2 + d * C_out
     + C_in * C_out + 4 * C_out, 2 * IN * (10 * C_in * C_out + 9 * C_out**2) + 2 * B * d * C_out),
    # norms 8C, maps in and out 2C² + 2C, attention 4C² + C, to the text 2C² + 2 C d_ctx + C,
    # the gated network 12 C² + 9C
    (SpatialTransformer(), 20 * C**2 + 2 * C * d_ctx + 21 * C,
     2 * IN * 18 * C**2 + 4 * B * H**2 * W**2 * C
     + 2 * IN * 2 * C**2 + 4 * B * S * C * d_ctx + 4 * IN * S * C),
]  # fmt: skip


@pytest.mark.parametrize(("component", "weights", "flops"), ROWS, ids=lambda x: repr(x)[:60])
def test_counts_are_those_of_the_table(component, weights, flops):
    program = program_of(component)
    assert (params(program).total - weights).expand() == 0
    assert (contraction_flops(program).total - flops).expand() == 0


@pytest.mark.parametrize(
    ("s", "height", "result"), [(1, 7, 7), (2, 7, 4), (2, 8, 4), (3, 7, 3), (3, 10, 4)]
)
def test_a_unit_gives_a_place_for_every_stride_that_begins(s, height, result):
    account = derive("convolution_unit", {"K": 3, "s": s, "H": height, "W": height})
    assert account.assumed.bindings[H_o] == result


def test_a_window_of_even_width_has_no_middle():
    with pytest.raises(BadInput, match="not a positive whole number"):
        derive("convolution_unit", {"K": 4})


def test_what_is_left_over_makes_no_patch():
    account = derive("image_embedding", {"P": 16, "H": 230, "W": 224, "C_in": 3, "d": 4})
    assert account.assumed.bindings[T] == 14 * 14 + 1
    assert account.params.value == 3 * 256 * 4 + 2 * 4 + 197 * 4
