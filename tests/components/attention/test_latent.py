"""Latent attention: what it costs, counted by hand; both of its forms compute the same."""

from fractions import Fraction

import numpy as np
import pytest
from sympy import expand

from symledger import derive
from symledger.checks.trial import Trial
from symledger.components.attention.latent import LatentAttention
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.pullback import pullback
from symledger.sizes import B, S, T, d, d_c, d_h, d_q, d_rot, d_v, h
from tests.components.tables import Row, assert_row

X = {"x": "B T d"}
WIDTH = d_h + d_rot
UP = d_c * h * (d_h + d_v)
KEPT = 2 * d_c + d_rot + 1  # the latent vector before and after its norm, the statistic
HEADS = h * (2 * WIDTH + d_v) + T * h  # queries, keys, values, shares
LOW_RANK = d * d_q + d_q * h * WIDTH
SMALL = dict(zip((B, S, T, d, h, d_h, d_v, d_c, d_rot, d_q), (2, 7, 3, 5, 3, 4, 6, 8, 2, 9),
                 strict=True))  # fmt: skip


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (
            LatentAttention(),
            Row(
                LOW_RANK + d_q + d * (d_c + d_rot) + d_c + UP + h * d_v * d,
                2 * B * T * (LOW_RANK + d * (d_c + d_rot) + UP + h * d_v * d)
                + 2 * B * T**2 * h * (WIDTH + d_v),
                B * T * (d + 2 * d_q + 1 + KEPT + HEADS + h * d_v),
                (B, T, d),
            ),
        ),
        (
            LatentAttention(low_rank=False, bias=True),
            Row(
                d * h * WIDTH + (d + 1) * (d_c + d_rot) + d_c + UP + (h * d_v + 1) * d,
                2 * B * T * (d * h * WIDTH + d * (d_c + d_rot) + UP + h * d_v * d)
                + 2 * B * T**2 * h * (WIDTH + d_v),
                B * T * (d + KEPT + HEADS + h * d_v),
                (B, T, d),
            ),
        ),
    ],
    ids=repr,
)
def test_latent_attention(component, row):
    assert_row(component, row, X)


def test_absorbed_maps_save_the_expansion_of_what_is_remembered():
    """For every remembered position 2·d_c·h·(d_h + d_v) FLOPs, for as many wider products."""
    past = {**X, "past_c": "B P d_c", "past_r": "B P d_rot"}
    absorbed, expanded = (
        contraction_flops(program_of(LatentAttention(absorbed=a), past, {"P": S - T})).total
        for a in (True, False)
    )
    products = 2 * B * T * S * h * ((d_c + d_rot + d_c) - (WIDTH + d_v))
    assert expand(absorbed - expanded - products - 2 * B * (T - S) * UP) == 0


def test_both_forms_compute_the_same():
    results = []
    for absorbed in (False, True):
        program = program_of(LatentAttention(absorbed=absorbed), X)
        trial = Trial(program, pullback(program), {s: n for s, n in SMALL.items() if s != S})
        named = {program.path(leaf): array for leaf, array in trial.leaves.items()}
        if results:
            for leaf in trial.leaves:
                trial.leaves[leaf] = results[0][0][program.path(leaf)]
        results.append((named, trial.values[program.outputs[0]]))
    assert np.allclose(results[0][1], results[1][1])


def test_what_is_kept_does_not_depend_on_the_heads():
    kept = derive("latent_attention", {"B": 1, "T": 1024, "d_c": 512, "d_rot": 64}, dtype="bf16")
    assert kept.memory_kv_cache.value == 1024 * (512 + 64) * 2


def test_the_cache_is_that_of_two_and_a_quarter_groups():
    """DeepSeek-AI (2024), table 1: as much as grouped attention with 2.25 groups keeps."""
    sizes = {"B": 1, "T": 64, "d": 5120, "h": 128}
    latent = derive("latent_attention", {**sizes, "d_h": 128, "d_c": 512, "d_rot": 64})
    heads = {"h_kv": 4, "d_k": 128, "d_v": 128, "causal": True}
    grouped = derive("self_attention", {**sizes, **heads})
    assert latent.memory_kv_cache.value * 4 == grouped.memory_kv_cache.value * Fraction(9, 4)
