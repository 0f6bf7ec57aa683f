"""The shape ledger: every row's shape is that of an array that really was there."""

import numpy as np
import pytest

from symledger.catalogue.entries import ENTRIES
from symledger.checks.sampling import sizes_for
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.attention.flash import FlashAttention
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.maps.linear import Linear
from symledger.models.mini_gpt.model import MiniGPT
from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.sources import random_leaves
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.readings.shapes import ShapeRow, shapes
from symledger.sizes import B, H_o, L, S, T, V, W_o, d, d_ff, d_in, d_out, h
from symledger.targets.resolve import resolve
from tests.every import account
from tests.readings.small import LENGTHS, Encoded, M, Stack


def table(program, backward=True):
    rows = shapes(program, pullback(program) if backward else None)
    return [(row.kind, row.dotted, row.shape, row.times) for row in rows]


def test_the_ledger_of_an_affine_map_is_as_written_by_hand():
    assert table(program_of(Linear(), {"x": "B d_in"})) == [
        ("input", "x", (B, d_in), 1),
        ("weight", "W", (d_in, d_out), 1),
        ("weight", "b", (d_out,), 1),
        ("output", "y", (B, d_out), 1),
        ("gradient", "x", (B, d_in), 1),
        ("gradient", "W", (d_in, d_out), 1),
        ("gradient", "b", (d_out,), 1),
    ]


def test_two_tables_of_a_name_are_told_apart_as_equations_tell_them():
    program = account("interpolation2d").program
    tables = [(row.name, row.shape) for row in shapes(program) if row.kind == "table"]
    names = ("p_0", "q_0", "p_1", "q_1")
    axes = ("", H_o), ("′", W_o)
    down, across = [[(name + prime, (n,)) for name in names] for prime, n in axes]
    assert tables == down + across


def test_tables_stand_once_and_noise_where_it_is_drawn():
    causal = table(program_of(FlashAttention(causal=True)), backward=False)
    assert [row for row in causal if row[0] == "table"] == [("table", "mask", (T, S), 1)]
    assert table(program_of(Dropout()), backward=False)[1][:2] == ("input", "mask")


def test_a_repeated_body_stands_once_with_its_times():
    rows = table(program_of(MiniGPT()))
    assert rows[0] == ("input", "tokens", (B, T), 1)
    assert rows[1] == ("step", "x", (B, T, d), 1)
    assert ("weight", "token_embedding.E", (V, d), 1) in rows
    assert ("weight", "block.feed_forward.1.W", (d, d_ff), L) in rows
    assert ("step", "block.attention.core.scores", (B, h, 1, T, T), L) in rows
    assert ("gradient", "block.feed_forward.1.W", (L, d, d_ff), 1) in rows
    assert [row[1] for row in rows if row[0] == "output"] == ["logits"]
    assert [row[1] for row in rows].count("logits") == 1


def test_components_follow_each_other_as_they_are_used():
    paths = [r.path for r in shapes(program_of(ScaledDotProduct(dropout=True))) if r.path]
    assert list(dict.fromkeys(paths)) == [("softmax",), ("dropout",)]


def test_shared_weights_are_there_once_and_steps_every_time():
    def kinds(shared, inside):
        rows = shapes(program_of(Stack(shared=shared, nested=True, shared_inside=inside)))
        return {row.kind: row.times for row in rows if row.path == ("stack", "stack")}

    assert kinds(shared=False, inside=False) == {"weight": L * M, "step": L * M}
    assert kinds(shared=True, inside=False) == {"weight": M, "step": L * M}
    assert kinds(shared=True, inside=True) == {"weight": 1, "step": L * M}


def assert_allocated(program):
    """Steps, outputs and gradients have the shapes of the arrays of a run."""
    known = set(program.symbols) <= LENGTHS.keys()
    machine, pull = Machine(LENGTHS if known else sizes_for(program)), pullback(program)
    leaves = random_leaves(program, machine.length, np.random.default_rng(3))
    values = machine.run(program, leaves)
    seeds = {s: np.ones(machine.shape(s.shape)) for s in pull.seeds}
    back = machine.back(pull, values, seeds)
    rows = shapes(program, pull)
    outputs = [row for row in rows if row.kind == "output"]
    assert [machine.shape(r.shape) for r in outputs] == [values[y].shape for y in program.outputs]
    gradients = [machine.shape(row.shape) for row in rows if row.kind == "gradient"]
    assert sorted(gradients) == sorted(g.shape for g in back.values())
    for row in rows:
        if row.kind == "step" and not row.path:
            assert values[program.scope.steps[row.name]].shape == machine.shape(row.shape)


@pytest.mark.parametrize("component", [Encoded(), Encoded(True), Stack(nested=True)], ids=str)
def test_shapes_of_repetitions_are_those_of_arrays(component):
    assert_allocated(program_of(component))


PARTS = [e.name for e in ENTRIES if e.kind == "component"]


@pytest.mark.parametrize("name", PARTS)
def test_shapes_of_the_catalogue_are_those_of_arrays(name):
    with np.errstate(all="ignore"):  # leaves are drawn without regard to what is a root of them
        assert_allocated(resolve(name).program())


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_weights_of_the_ledger_are_the_parameters(name):
    program = account(name).program
    counted = 0
    for row in shapes(program):
        if row.kind == "weight":
            elements = row.times
            for n in row.shape:
                elements = elements * n
            counted += elements
    assert (counted - params(program).total).expand() == 0


def test_a_row_knows_its_dotted_name():
    assert ShapeRow("W", "weight", (d,), ("attention", "Q")).dotted == "attention.Q.W"
