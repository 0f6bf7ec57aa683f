"""Mixtures of experts: what is stored follows E, what is computed follows k."""

import numpy as np
import pytest
from sympy import Integer, expand

from symledger import derive
from symledger.checks.trial import Trial
from symledger.components.feed_forward.experts import Experts, MixtureOfExperts, Router
from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.errors import BadInput
from symledger.ir.ops import Input, Param
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import active_params, params
from symledger.readings.pullback import pullback
from symledger.sizes import B, E, E_s, N, T, T_e, d, d_ff, k
from tests.components.tables import Row, assert_row

OUT = (B, T, d)
ROUTED = B * T * k  # rows that experts are given, of all tokens together
GATED = 3 * d * d_ff
ROUTER = B * T * (d + E) + ROUTED  # what is kept for its sake: x, its softmax, the picked weights
WEIGHTED = 2 * ROUTED * d + 4 * ROUTED * d_ff + ROUTED  # given, made, inside; the slots


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Experts(), Row(E * GATED, 2 * E * T_e * GATED, E * T_e * (d + 4 * d_ff), (E, T_e, d))),
        (
            Experts(gated=False),
            Row(2 * E * d * d_ff, 4 * E * T_e * d * d_ff, E * T_e * (d + 2 * d_ff), (E, T_e, d)),
        ),
        # kept: the rows, their softmax, the slots
        (Router(), Row(d * E, 2 * N * d * E, N * d + N * E + E * T_e, (E, T_e, 1))),
        (
            MixtureOfExperts(),
            Row(E * GATED + d * E, 2 * ROUTED * GATED + 2 * B * T * d * E, ROUTER + WEIGHTED, OUT),
        ),
        (
            MixtureOfExperts(router=False),
            Row(E * GATED, 2 * ROUTED * GATED, WEIGHTED - ROUTED * d, OUT),
        ),
        (
            MixtureOfExperts(shared=True),
            Row(
                (E + E_s) * GATED + d * E,
                2 * (ROUTED + B * T * E_s) * GATED + 2 * B * T * d * E,
                ROUTER + WEIGHTED + 4 * B * T * E_s * d_ff,
                OUT,
            ),
        ),
    ],
    ids=repr,
)
def test_experts(component, row):
    assert_row(component, row)


@pytest.mark.parametrize(
    ("gated", "dense"),
    [
        (True, GatedFeedForward(activation="relu")),
        (False, FeedForward(activation="relu", bias=False)),
    ],
)
def test_one_expert_without_a_router_is_the_dense_network(gated, dense):
    """The same parameters, FLOPs and result, all tokens in order in its slots."""
    mixture = program_of(MixtureOfExperts(Integer(1), Integer(1), activation="relu", gated=gated,
                                     router=False))  # fmt: skip
    plain = program_of(dense)
    for reading in (params, contraction_flops, lambda p: contraction_flops(pullback(p))):
        assert expand(reading(mixture).total - reading(plain).total) == 0
    sizes = {B: 2, T: 3, d: 5, d_ff: 7}
    trials = [Trial(p, pullback(p), sizes) for p in (mixture, plain)]
    x = np.random.default_rng(0).standard_normal((2, 3, 5))
    results = []
    for trial in trials:
        weights = iter(np.random.default_rng(1).standard_normal((3, 5, 7)))
        for leaf, array in trial.leaves.items():
            if isinstance(leaf.op, Param):
                matrix = next(weights)
                matrix = matrix if array.shape[-1] == 7 else matrix.T
                trial.leaves[leaf] = matrix.reshape(array.shape)
            elif leaf.op.below is not None:
                trial.leaves[leaf] = np.arange(6).reshape(1, 6)
            else:
                trial.leaves[leaf] = x
        results.append(trial.values[trial.program.outputs[0]])
    assert results[0] == pytest.approx(results[1])


@pytest.mark.parametrize("shared", [False, True])
def test_the_active_parameters_are_those_with_a_gradient_from_one_token(shared):
    program = program_of(MixtureOfExperts(shared=shared))
    sizes = {B: 2, T: 3, d: 4, d_ff: 5, E: 4, k: 2, E_s: 2}
    trial = Trial(program, pullback(program), sizes)
    for leaf in trial.leaves:
        if isinstance(leaf.op, Input) and leaf.op.below is not None:  # token n to 2n and 2n + 1
            trial.leaves[leaf] = np.arange(12).reshape(3, 4).T // 2
    (seed,) = trial.pull.seeds
    trial.seeds[seed][:] = 0
    trial.seeds[seed][1, 2] = np.random.default_rng(2).standard_normal(4)
    found = trial.gradients
    active = sum(np.count_nonzero(g) for leaf, g in found.items() if isinstance(leaf.op, Param))
    assert active == active_params(program).total.subs(sizes)
    assert active < params(program).total.subs(sizes)


def test_the_router_has_a_gradient_and_the_choice_none():
    program = program_of(MixtureOfExperts())
    names = {leaf.op.name for leaf in pullback(program).gradients}
    assert names == {"x", "W_gate", "W_up", "W_down", "W"}


def test_more_experts_than_there_are_cannot_be_chosen():
    with pytest.raises(BadInput, match="k"):
        derive("mixture_of_experts", {"E": 4, "k": 5})


def test_rows_need_not_divide_among_the_experts():
    """Six rows of eight experts: three quarters of a row each, on average; counts are linear."""
    sizes = {"E": 8, "k": 2, "d": 4, "d_ff": 5, "B": 1}
    three, four = (derive("mixture_of_experts", {**sizes, "T": n}) for n in (3, 4))
    assert 4 * three.flops_forward.value == 3 * four.flops_forward.value
