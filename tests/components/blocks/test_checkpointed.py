"""A checkpointed block: the block's own counts, but for what is kept and done twice."""

import pytest
from sympy import expand

from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.blocks.checkpointed import CheckpointedBlock
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.sizes import B, T, d, d_ff, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_row

PROJECTIONS = d * h * d_k + d * h_kv * (d_k + d_v) + h * d_v * d
BIASES = h * d_k + h_kv * (d_k + d_v) + d + d + d_ff
FORWARD = 2 * B * T * (PROJECTIONS + 2 * d * d_ff) + 2 * B * T**2 * h * (d_k + d_v)
CHOICES = (
    {}, {"dropout": True, "hidden_dropout": True}, {"norm": "rms", "gated": True, "bias": False},
    {"rotary": True, "causal": False, "activation": "relu"}, {"flash": True},
)  # fmt: skip


def test_the_block():
    weights = PROJECTIONS + 2 * d * d_ff + BIASES + 4 * d
    assert_row(CheckpointedBlock(), Row(weights, FORWARD, B * T * d, (B, T, d)))


def test_backward_is_three_times_forward():
    back = contraction_flops(pullback(program_of(CheckpointedBlock()))).total
    assert expand(back - 3 * FORWARD) == 0


@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_it_is_the_block_with_its_forward_done_twice(choices):
    block, again = program_of(PreLNBlock(**choices)), program_of(CheckpointedBlock(**choices))
    assert expand(params(again).total - params(block).total) == 0
    for price in (contraction_flops, pointwise_flops):
        forward = price(block).total
        assert expand(price(again).total - forward) == 0
        assert expand(price(pullback(again)).total - price(pullback(block)).total - forward) == 0


@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_only_what_enters_is_kept(choices):
    block = CheckpointedBlock(**choices)
    kinds = program_of(block)
    whole = Row(params(kinds).total, contraction_flops(kinds).total, B * T * d, (B, T, d))
    assert_row(block, whole)
