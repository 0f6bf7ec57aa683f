"""FLOPs: two for a multiply-add, a line an element, and the causal conventions."""

import pytest
from sympy import Rational, expand

from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.attention.flash import FlashAttention
from symledger.components.embeddings.embedding import LMHead, TokenEmbedding
from symledger.components.embeddings.positions import LearnedPositions, SinusoidalPositions
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.heads_and_losses.log_softmax import LogSoftmax
from symledger.components.heads_and_losses.losses import CrossEntropy
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.pullback import pullback
from symledger.sizes import B, L, S, T, V, d, d_ff, d_in, d_k, d_out, d_v, h, h_kv
from tests.readings.small import (
    Act,
    Collect,
    Lookup,
    M,
    N,
    Norm,
    Peak,
    Pick,
    Scores,
    Shifted,
    Stack,
    Transpose,
)

ROWS = B * T


@pytest.mark.parametrize(
    ("component", "flops"),
    [
        (Linear(), 2 * ROWS * d_in * d_out),
        (FeedForward(), 4 * ROWS * d * d_ff),
        (GatedFeedForward(), 6 * ROWS * d * d_ff),
        (LMHead(), 2 * ROWS * V * d),
        (ScaledDotProduct(), 2 * B * T * S * h * (d_k + d_v)),
        (FlashAttention(), 2 * B * T * S * h * (d_k + d_v)),
        (
            Attention(),
            2 * ROWS * d * (h * d_k + h_kv * d_k + h_kv * d_v + h * d_v)
            + 2 * B * T**2 * h * (d_k + d_v),
        ),
        (Scores(), 2 * B * T * S * h * d_k),
        (Norm(), 2 * B * d),
        (Stack(), 2 * B * d**2 * L),
        (Stack(nested=True, shared=True), 2 * B * d**2 * L * M),
        (LayerNorm(), 0),
        (RotaryPositions(), 0),
        (TokenEmbedding(), 0),
        (Softmax(), 0),
    ],
    ids=repr,
)
def test_a_contraction_costs_two_for_every_combination_of_its_indices(component, flops):
    assert expand(contraction_flops(program_of(component)).total - flops) == 0


@pytest.mark.parametrize(
    ("component", "flops"),
    [
        (Linear(bias=False), 0),
        (Linear(), ROWS * d_out),
        (FeedForward(activation="relu"), ROWS * (d_ff + 2 * d_ff + d)),
        (FeedForward(activation="gelu", bias=False), 5 * ROWS * d_ff),
        (GatedFeedForward(), ROWS * (4 * d_ff + d_ff)),
        (Act("tanh"), ROWS * d),
        (Dropout(), 2 * ROWS * N),
        # n − 1 comparisons, n differences, n exponentials, n additions, n quotients
        (Softmax(), ROWS * (5 * N - 1)),
        # n − 1 comparisons, n differences, n exponentials, n additions, a logarithm, n differences
        (LogSoftmax(), ROWS * (5 * N)),
        # mean d + 1, centred d, squared d, mean d + 1, ε, root, and three for r, g, b
        (LayerNorm(), ROWS * (7 * d + 4)),
        # squared d, mean d + 1, ε, root, and two for r, g
        (RMSNorm(), ROWS * (4 * d + 3)),
        (LearnedPositions(), ROWS * d),
        (SinusoidalPositions(), ROWS * d),
        # four products and two sums for each of d_k/2 pairs
        (RotaryPositions(), 3 * ROWS * h * d_k),
        # log-softmax, the sum over the positions, and one product
        (CrossEntropy(), 5 * ROWS * V + ROWS + 1),
        # n − 1 comparisons and n products
        (Peak(), ROWS * (2 * d - 1)),
        (Transpose(), 0),
        (Shifted(), 2 * ROWS * d),
        (Lookup(), ROWS * d),
        (Collect(), ROWS * d + V * d),  # an addition for each row element, then the squares
        (Pick(), ROWS * d),
        (Stack(nested=True), B * d * L * M),
    ],
    ids=repr,
)
def test_everything_else_costs_an_elementary_operation_an_element(component, flops):
    assert expand(pointwise_flops(program_of(component)).total - flops) == 0


@pytest.mark.parametrize(
    ("component", "flops"),
    [
        (Linear(bias=False), 0),
        (Linear(), ROWS * d_out),  # the bias's gradient: a sum over the rows
        (TokenEmbedding(), ROWS * d),  # an addition for each row element
        (Softmax(), ROWS * 4 * N),  # dy y, its sum, dy − …, times y
        (Act("tanh"), ROWS * d * 3),  # square, 1 − …, times the gradient
        (Act("relu"), ROWS * d * 3),  # compare, select, times the gradient
        (Transpose(), 0),
    ],
    ids=repr,
)
def test_going_back_is_priced_like_any_other_program(component, flops):
    back = pullback(program_of(component))
    assert expand(pointwise_flops(back).total - flops) == 0


def flops(component, causal, *, back=False):
    program = program_of(component)
    return expand(contraction_flops(pullback(program) if back else program, causal).total)


CAUSAL = [
    # the component, its keys, and over how many pairs × d_k and × d_v it goes back
    (ScaledDotProduct(causal=True), S, 2 * d_k + 2 * d_v),
    (Attention(causal=True), T, 2 * d_k + 2 * d_v),
    (FlashAttention(causal=True), S, 3 * d_k + 2 * d_v),  # the scores once more, dq, dk; da, dv
    (Attention(causal=True, flash=True), T, 3 * d_k + 2 * d_v),
]


@pytest.mark.parametrize(("component", "keys", "widths"), CAUSAL, ids=repr)
@pytest.mark.parametrize("back", [False, True])
def test_exact_drops_the_pairs_that_lie_in_the_future_and_half_drops_half_of_all(
    component, keys, widths, back
):
    full, half, exact = (flops(component, c, back=back) for c in ("full", "half", "exact"))
    a_pair = 2 * B * h * (widths if back else d_k + d_v)
    assert expand(full - exact - a_pair * T * (T - 1) / 2) == 0
    assert expand(full - half - a_pair * T * keys / 2) == 0


@pytest.mark.parametrize("convention", ["half", "exact"])
def test_conventions_change_nothing_where_every_pair_counts(convention):
    assert flops(Attention(), convention) == flops(Attention(), "full")


def test_the_exact_causal_pairs_of_a_square_are_those_of_a_triangle():
    exact = flops(ScaledDotProduct(causal=True), "exact").subs(S, T)
    assert expand(exact - 2 * B * h * (d_k + d_v) * T * (T + 1) * Rational(1, 2)) == 0
