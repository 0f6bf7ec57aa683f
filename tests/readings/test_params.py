"""Parameters: each weight once, where it is used first, times the repetitions of its body."""

import numpy as np
import pytest
from sympy import Integer

from symledger.components.embeddings.embedding import LMHead, TokenEmbedding
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.models.mini_gpt.model import MiniGPT
from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.sources import own_leaves, random_leaves
from symledger.readings.params import params
from symledger.sizes import L, V, d, d_ff, d_in, d_out
from tests.readings.small import LENGTHS, Encoded, M, Peak, Scaled, Stack, Tied


@pytest.mark.parametrize(
    ("component", "total"),
    [
        (Linear(), d_in * d_out + d_out),
        (Linear(bias=False), d_in * d_out),
        (LayerNorm(), 2 * d),
        (FeedForward(), 2 * d * d_ff + d + d_ff),
        (TokenEmbedding(), V * d),
        (LMHead(), V * d),
        (Peak(), 0),
        (Tied(), d**2),
        (Scaled(), d),
        (Stack(), L * d**2),
        (Stack(shared=True), d**2),
        (Stack(nested=True), L * M * d**2),
        (Stack(nested=True, shared_inside=True), L * d**2),
        (Stack(nested=True, shared=True), M * d**2),
        (Stack(nested=True, shared=True, shared_inside=True), d**2),
        (Stack(Integer(3), nested=True), 3 * M * d**2),
        (Encoded(), d**2 + L * d**2),
    ],
    ids=repr,
)
def test_a_weight_is_counted_once_for_every_repetition_that_has_its_own(component, total):
    found = params(program_of(component)).total
    assert (found - total).expand() == 0


@pytest.mark.parametrize(
    "component", [MiniGPT(), MiniGPT(tied=False), Stack(nested=True)], ids=repr
)
def test_the_count_is_that_of_the_arrays_that_a_run_allocates(component):
    program, machine = program_of(component), Machine(LENGTHS)
    weights = random_leaves(program, machine.length, np.random.default_rng(0))
    inputs = set(program.inputs)
    allocated = sum(weights[x].size for x, _ in own_leaves(program) if x not in inputs)
    assert machine.length(params(program).total) == allocated


def test_a_tied_weight_appears_at_its_second_use_with_nothing():
    amounts = list(params(program_of(MiniGPT())).amounts())
    rows = [(a.scope.name, a.label, a.own) for a in amounts if a.label == "E"]
    assert rows == [("token_embedding", "E", V * d), ("head", "E", 0)]


def test_a_weight_stands_in_the_component_that_uses_it():
    amounts = params(program_of(FeedForward())).amounts()
    assert [(".".join(a.scope.path), a.label, a.own) for a in amounts] == [
        ("1", "W", d * d_ff), ("1", "b", d_ff), ("2", "W", d * d_ff), ("2", "b", d),
    ]  # fmt: skip
