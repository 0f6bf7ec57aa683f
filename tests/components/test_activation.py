"""A nonlinearity alone: what it keeps is its result where the slope can be written in that."""

import pytest

from symledger.components.blocks.encoder import PostLNEncoder, PreLNEncoder
from symledger.components.feed_forward.activation import Activation
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.sizes import B, L, Size, T, d, d_ff, d_h, h

from .tables import Row, assert_row

N = Size("n")


@pytest.mark.parametrize("function", ["relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid"])
def test_an_activation_keeps_one_tensor(function):
    assert_row(Activation(function), Row(0, 0, B * T * N, (B, T, N)))


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (LayerNorm(bias=False), Row(d, 0, B * T * (d + 2), (B, T, d))),
        (LayerNorm(affine=False), Row(0, 0, B * T * (d + 2), (B, T, d))),
        (RMSNorm(affine=False), Row(0, 0, B * T * (d + 1), (B, T, d))),
        # kept: the input, relu's result, the mask, what it let through
        (FeedForward(activation="relu", dropout=True),
         Row(2 * d * d_ff + d_ff + d, 4 * B * T * d * d_ff, B * T * (d + 3 * d_ff), (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_norms_without_weights_and_hidden_dropout(component, row):
    assert_row(component, row)


@pytest.mark.parametrize("kind", [PostLNEncoder, PreLNEncoder])
def test_an_encoder_has_its_blocks_and_its_norm(kind):
    from sympy import expand

    from symledger.notation.calling import program_of
    from symledger.readings.params import params

    block = 4 * d * d_h * h + 3 * d_h * h + d + 2 * d * d_ff + d_ff + d + 4 * d
    found = params(program_of(kind(final_norm=True))).total
    assert expand(found - L * block - 2 * d) == 0
