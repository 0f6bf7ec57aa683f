"""Attention that depends on distances: which pairs it sees, and with which bias."""

import numpy as np
import pytest
from sympy import expand

from symledger import derive
from symledger.components.attention.relative import (
    ALiBiAttention,
    BiasedAttention,
    RelativeAttention,
    WindowAttention,
)
from symledger.errors import BadInput
from symledger.ir.ops import Const
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.pullback import pullback
from symledger.sizes import B, S, T, d_k, d_v, h, h_kv, n_b, w
from tests.components.tables import Row, assert_row

SELF = {"q": "B T h d_k", "k": "B T h_kv d_k", "v": "B T h_kv d_v"}
OUT = (B, T, h, d_v)


def mixed(keys):
    return 2 * B * T * keys * h * (d_k + d_v)


def kept(keys):
    return B * T * h * d_k + B * keys * h_kv * (d_k + d_v) + B * h * T * keys


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (WindowAttention(), Row(0, mixed(S), kept(S), OUT)),
        (ALiBiAttention(), Row(0, mixed(S), kept(S), OUT)),
        (RelativeAttention(), Row(n_b * h, mixed(S), kept(S) + T * S, OUT)),
        (RelativeAttention(causal=True), Row(n_b * h, mixed(S), kept(S) + T * S, OUT)),
        (BiasedAttention(), Row(0, mixed(S), kept(S), OUT)),
    ],
    ids=repr,
)
def test_attention_by_distance(component, row):
    assert_row(component, row)


def test_a_window_is_charged_exactly_forward_and_backward():
    pairs = w * T - w * (w - 1) / 2
    program = program_of(WindowAttention(), SELF)
    for counted, times in ((program, 1), (pullback(program), 2)):
        exact = contraction_flops(counted, "exact").total
        assert expand(exact - times * 2 * B * pairs * h * (d_k + d_v)) == 0


def test_after_a_cache_every_query_sees_a_whole_window():
    exact = contraction_flops(program_of(WindowAttention()), "exact").total
    assert expand(exact - 2 * B * w * T * h * (d_k + d_v)) == 0


def test_a_window_of_all_positions_is_causal_attention():
    window, causal = (
        derive(name, {"causal": True} if name == "dot_product_attention" else None)
        .causal("flops.forward")["exact"].expr
        for name in ("window_attention", "dot_product_attention")
    )  # fmt: skip
    assert expand(window.subs(w, T) - causal.subs(S, T)) == 0


def test_a_window_longer_than_the_sequence_is_refused():
    with pytest.raises(BadInput, match="w = 8, but it may not exceed T = 7"):
        derive("window_attention", {"w": 8, "T": 7})


def element(component, name, sizes):
    """A computed table of a component, as an array."""
    (table,) = (
        t for t in program_of(component).tensors if isinstance(t.op, Const) and t.op.name == name
    )
    return Machine(sizes).execute(table, [])


def test_the_biases_of_alibi_are_those_of_the_paper():
    """Press et al. (2022), section 3: for 8 heads the rates 1/2, 1/4 … 1/256 times the distance."""
    bias = element(ALiBiAttention(), "bias", {h: 8, h_kv: 2, T: 3, S: 5}).reshape(8, 3, 5)
    for head in range(8):
        assert bias[head, 2] == pytest.approx(-np.arange(5)[::-1] / 2 ** (head + 1))
        assert bias[head, 0, :3] == pytest.approx(-np.arange(3)[::-1] / 2 ** (head + 1))


def test_a_table_of_biases_is_that_of_t5():
    """google-t5/t5-base: one table of 32 buckets and 12 heads in each of its two stacks."""
    assert derive("relative_attention", {"n_b": 32, "h": 12}).params.value == 384
