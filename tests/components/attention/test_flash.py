"""Fused attention: what it keeps, counted by hand, and what it refuses."""

import pytest

from symledger.components.attention.attention import Attention
from symledger.components.attention.flash import FlashAttention
from symledger.errors import DefinitionError
from symledger.notation.calling import program_of
from symledger.sizes import B, S, T, d_k, d_v, h, h_kv
from tests.components.tables import Row, assert_row

HEADS = (B, T, h, d_v)
MIXED = 2 * B * T * S * h * (d_k + d_v)
QKV = B * T * h * d_k + B * S * h_kv * (d_k + d_v)


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (FlashAttention(), Row(0, MIXED, QKV + B * T * h * d_v + B * h * T, HEADS)),
        (FlashAttention(causal=True), Row(0, MIXED, QKV + B * T * h * d_v + B * h * T, HEADS)),
    ],
    ids=repr,
)  # fmt: skip
def test_the_attention_of_heads(component, row):
    assert_row(component, row)


def test_dropout_inside_flash_attention_is_refused_and_not_left_out():
    with pytest.raises(DefinitionError, match="choose flash = false or dropout = false"):
        program_of(Attention(flash=True, dropout=True))
