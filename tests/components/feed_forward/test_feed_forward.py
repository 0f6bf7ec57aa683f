"""The feed-forward network of a block."""

import pytest
from sympy import expand

from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.notation.calling import program_of
from symledger.readings.params import params
from symledger.sizes import B, T, d, d_ff
from tests.components.tables import Row, assert_row

PLAIN, GATED = 4 * B * T * d * d_ff, 6 * B * T * d * d_ff
OUT = (B, T, d)


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (FeedForward(), Row(2 * d * d_ff + d + d_ff, PLAIN, B * T * (d + 2 * d_ff), OUT)),
        (FeedForward(bias=False), Row(2 * d * d_ff, PLAIN, B * T * (d + 2 * d_ff), OUT)),
        (
            FeedForward(activation="relu"),  # relu keeps its result, which the next map keeps too
            Row(2 * d * d_ff + d + d_ff, PLAIN, B * T * (d + d_ff), OUT),
        ),
        (
            FeedForward(activation="gelu_new"),  # u, tanh, u/2 and 1 + tanh, and their product
            Row(2 * d * d_ff + d + d_ff, PLAIN, B * T * (d + 5 * d_ff), OUT),
        ),
        (GatedFeedForward(), Row(3 * d * d_ff, GATED, B * T * (d + 4 * d_ff), OUT)),
        (
            GatedFeedForward(bias=True),
            Row(3 * d * d_ff + 2 * d_ff + d, GATED, B * T * (d + 4 * d_ff), OUT),
        ),
        # kept: the input, relu's result, the mask, what it let through
        (FeedForward(activation="relu", dropout=True),
         Row(2 * d * d_ff + d_ff + d, 4 * B * T * d * d_ff, B * T * (d + 3 * d_ff), (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_feed_forward(component, row):
    assert_row(component, row)


def test_a_gated_network_of_two_thirds_the_width_has_as_many_weights():
    """Shazeer, GLU Variants Improve Transformer (2020), section 3.2."""
    (case,) = GatedFeedForward.corollaries.values()
    gated = params(program_of(GatedFeedForward())).total.subs(case)
    plain = params(program_of(FeedForward(bias=False))).total.subs(FeedForward.assumptions)
    assert expand(gated - plain) == 0
