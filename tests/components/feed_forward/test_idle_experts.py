"""Mixtures some of whose experts compute nothing: counts by hand, of the average routing."""

import pytest

from symledger import derive
from symledger.components.feed_forward.idle_experts import MixtureWithIdleExperts
from symledger.errors import BadInput
from symledger.sizes import B, E, E_all, T, d, d_ff, k
from tests.components.tables import Row, assert_row

ROUTED = B * T * k  # rows that experts are given, of all tokens together
MET = ROUTED * E / E_all  # of these, rows of experts that compute
GATED = 3 * d * d_ff
PARAMS, FLOPS = E * GATED + d * E_all, 2 * MET * GATED + 2 * B * T * d * E_all
# kept: rows, softmax, picked weights, slots, what is given; inside, and what was made of it
KEPT = B * T * (d + E_all) + (d + 2) * ROUTED + MET * (4 * d_ff + d)


@pytest.mark.parametrize(
    ("component", "params"),
    [
        (MixtureWithIdleExperts(), PARAMS),
        (MixtureWithIdleExperts(spare=True), PARAMS + 2 * (E_all - E) * d * d_ff),
    ],
    ids=repr,
)
def test_counts(component, params):
    assert_row(component, Row(params, FLOPS, KEPT, (B, T, d)))


def test_experts_that_compute_nothing_have_no_active_weights():
    sizes = {"E": 6, "E_all": 9, "k": 3, "d": 4, "d_ff": 5}
    for spare in ("false", "true"):
        account = derive("mixture_with_idle_experts", {**sizes, "spare": spare})
        assert account.params_active.value == 2 * 3 * 4 * 5 + 4 * 9  # two of six networks


def test_what_a_step_touches_is_refused_where_some_experts_compute_nothing():
    account = derive("longcat", {"B": 2})
    with pytest.raises(BadInput, match="compute nothing"):
        account["experts.touched.most"]


def test_more_experts_than_there_are_cannot_be_chosen():
    with pytest.raises(BadInput, match="k"):
        derive("mixture_with_idle_experts", {"E": 2, "E_all": 4, "k": 5})
