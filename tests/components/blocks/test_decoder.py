"""The encoder-decoder transformer: a decoder block is a block and one more attention."""

import pytest
from sympy import expand

from symledger.components.blocks.decoder import (
    EncoderDecoder,
    PostLNDecoder,
    PostLNDecoderBlock,
    PreLNDecoder,
    PreLNDecoderBlock,
)
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.sizes import B, L, L_dec, L_enc, S, T, d, d_ff, d_h, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_row

WEIGHTS = d * h * d_k + d * h_kv * (d_k + d_v) + h * d_v * d
FEED = 2 * d * d_ff
BIASES = 2 * (h * d_k + h_kv * (d_k + d_v) + d) + d + d_ff
OUT = (B, T, d)
SELF = 2 * B * T * WEIGHTS + 2 * B * T**2 * h * (d_k + d_v)
CROSS = (
    2 * B * T * (d * h * d_k + h * d_v * d)
    + 2 * B * S * d * h_kv * (d_k + d_v)
    + 2 * B * T * S * h * (d_k + d_v)
)
# x, three norms' results and the two sums between; what both attentions keep; the memory
KEPT = (
    6 * B * T * d
    + B * S * d
    + B * T * (2 * h * d_k + h_kv * (d_k + d_v) + 2 * h * d_v)
    + B * S * h_kv * (d_k + d_v)
    + 2 * B * T * d_ff
)
PAIRS = B * h * T * (T + S)


@pytest.mark.parametrize(
    ("block", "row"),
    [
        (
            PreLNDecoderBlock(),
            Row(2 * WEIGHTS + FEED + BIASES + 6 * d, SELF + CROSS + 2 * B * T * FEED,
                KEPT + PAIRS + 6 * B * T, OUT),
        ),
        (
            PostLNDecoderBlock(),
            Row(2 * WEIGHTS + FEED + BIASES + 6 * d, SELF + CROSS + 2 * B * T * FEED,
                KEPT + PAIRS + 6 * B * T, OUT),
        ),
        (
            PreLNDecoderBlock(norm="rms", bias=False, flash=True),
            Row(2 * WEIGHTS + FEED + 3 * d, SELF + CROSS + 2 * B * T * FEED,
                KEPT + 2 * B * h * T + 3 * B * T, OUT),
        ),
    ],
    ids=repr,
)  # fmt: skip
def test_decoder_blocks(block, row):
    assert_row(block, row)


@pytest.mark.parametrize(("kind", "ended"), [(PreLNDecoder, 0), (PostLNDecoder, 1)])
def test_a_stack_is_its_blocks_its_norm_and_one_memory(kind, ended):
    block = 8 * d * h * d_h + FEED + 6 * h * d_h + 9 * d + d_ff
    maps = 2 * B * T * (6 * d * h * d_h + FEED) + 4 * B * S * d * h * d_h
    kept = T * (6 * d + 6 * h * d_h + d_ff + 6) + 2 * S * h * d_h + h * T * (T + S)
    row = Row(
        L * block + ended * 2 * d,
        L * (maps + 4 * B * T * (T + S) * h * d_h),
        L * B * kept + B * S * d + ended * B * T * (d + 2),
        OUT,
    )
    assert_row(kind(final_norm=bool(ended)), row)


def test_every_decoder_block_looks_at_one_memory():
    """The memory is kept once, however many blocks map it to keys and values of their own."""
    encoder = 4 * d * h * d_h + FEED
    biases = 3 * h * d_h + 2 * d + d_ff
    own = 2 * (4 * d * h * d_h) + FEED
    layer = 2 * B * S * encoder + 4 * B * S**2 * h * d_h
    other = (
        2 * B * T * (6 * d * h * d_h + FEED)
        + 4 * B * S * d * h * d_h
        + 4 * B * T * (T + S) * h * d_h
    )
    kept = (
        L_enc * B * S * (4 * d + 4 * h * d_h + d_ff + 4)
        + L_enc * B * h * S**2
        + L_dec * B * T * (6 * d + 6 * h * d_h + d_ff + 6)
        + L_dec * B * (2 * S * h * d_h + h * T * (T + S))
        + B * S * (2 * d + 2)
        + B * T * (d + 2)
    )
    row = Row(
        L_enc * (encoder + biases + 4 * d) + L_dec * (own + 2 * biases - d_ff + 5 * d) + 4 * d,
        L_enc * layer + L_dec * other,
        kept,
        OUT,
    )
    assert_row(EncoderDecoder(), row)


def test_only_pairs_of_the_own_sequence_are_hidden():
    program = program_of(PreLNDecoderBlock(rotary=True))
    full, exact = (contraction_flops(program, c).total for c in ("full", "exact"))
    assert expand(full - exact - B * T * (T - 1) * h * (d_k + d_v)) == 0
