"""Attention: its cases are corollaries of one definition."""

import pytest
from sympy import Integer, expand

from symledger.components.attention.attention import Attention
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params
from symledger.sizes import B, S, Size, T, d, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_row

P = Size("P")
WEIGHTS = d * h * d_k + d * h_kv * (d_k + d_v) + h * d_v * d
CASES = Attention.corollaries
BIASES = h * d_k + h_kv * (d_k + d_v) + d


def attention_row(*, keys, past=0, saved_pairs=1, flash=False, bias=0):
    """The row of an Attention over ``keys`` new and ``past`` old keys."""
    source = 0 if keys == T else B * keys * d  # its own sequence is kept too
    pairs = B * h * T if flash else saved_pairs * B * h * T * (keys + past)
    kept = B * T * d + source + B * T * h * d_k + B * (keys + past) * h_kv * (d_k + d_v)
    forward = (
        2 * B * T * (d * h * d_k + h * d_v * d)
        + 2 * B * keys * d * h_kv * (d_k + d_v)
        + 2 * B * T * (keys + past) * h * (d_k + d_v)
    )
    return Row(WEIGHTS + bias, forward, kept + pairs + B * T * h * d_v, (B, T, d))


@pytest.mark.parametrize(
    ("component", "inputs", "row"),
    [
        (Attention(), None, attention_row(keys=T)),
        (Attention(bias=True), None, attention_row(keys=T, bias=BIASES)),
        (Attention(causal=True), None, attention_row(keys=T)),
        (Attention(rotary=True), None, attention_row(keys=T)),
        (Attention(dropout=True), None, attention_row(keys=T, saved_pairs=3)),
        (Attention(flash=True), None, attention_row(keys=T, flash=True)),
        (Attention(), {"x": "B T d", "memory": "B S d"}, attention_row(keys=S)),
        (
            Attention(), {"x": "B T d", "past_k": "B P h_kv d_k", "past_v": "B P h_kv d_v"},
            attention_row(keys=T, past=P),
        ),
    ],
    ids=repr,
)  # fmt: skip
def test_attention_with_its_maps(component, inputs, row):
    assert_row(component, row, inputs)


@pytest.mark.parametrize(
    ("case", "weights"),
    [
        ("multi-head", 4 * d**2),
        ("grouped", 2 * d**2 + 2 * d**2 * h_kv / h),
        ("multi-query", 2 * d**2 + 2 * d**2 / h),
    ],
)
def test_the_weights_of_a_case_are_a_corollary(case, weights):
    assert expand(params(program_of(Attention())).total.subs(CASES[case]) - weights) == 0


@pytest.mark.parametrize(
    ("case", "weights"),
    [
        # Linear(512, 8 · 64) twice, Linear(512, 8 · 32) and back
        (Attention(Integer(512), Integer(8), Integer(8), Integer(64), Integer(32)), 786432),
        # torch.nn.MultiheadAttention(768, 12): 4 · 768² + 4 · 768
        (
            Attention(Integer(768), Integer(12), Integer(12), Integer(64), Integer(64), bias=True),
            2362368,
        ),
    ],
    ids=repr,
)
def test_weights_in_numbers(case, weights):
    assert params(program_of(case)).total == weights


@pytest.mark.parametrize("reading", [params, contraction_flops])
@pytest.mark.parametrize("heads", [h, Integer(1)], ids=str)
def test_grouped_heads_are_multi_head_at_h_and_multi_query_at_1(reading, heads):
    general = reading(program_of(Attention())).total.xreplace({h_kv: heads})
    special = reading(program_of(Attention(h_kv=heads))).total
    assert expand(general - special) == 0


def test_decoding_one_token_costs_the_maps_of_one_token_and_a_row_of_pairs():
    cache = {"x": "B T d", "past_k": "B P h_kv d_k", "past_v": "B P h_kv d_v"}
    flops = contraction_flops(program_of(Attention(), cache)).total.subs({T: 1})
    assert expand(flops - 2 * B * WEIGHTS - 2 * B * (P + 1) * h * (d_k + d_v)) == 0
