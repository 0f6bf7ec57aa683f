"""Recurrent networks over time: counts, and equality with loops written by hand."""

from itertools import product

import numpy as np
import pytest
from sympy import Integer, expand

from symledger.accounts.account import derive
from symledger.checks.runner import examine
from symledger.components.recurrence.recurrent import GRU, LSTM, RNN
from symledger.errors import BadInput
from symledger.notation.calling import program_of
from symledger.readings.equations.sheet import backward_equations, equations
from symledger.readings.flops import contraction_flops
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.readings.traffic import state
from symledger.sizes import B, L, T, d_in, d_p, d_s
from tests.components.tables import ELEMENTS

CELLS = {RNN: 1, GRU: 3, LSTM: 4}
"""How many affine maps of input and state each kind has."""


def name(value):
    return repr(value).replace(", ", ",") if isinstance(value, RNN | GRU | LSTM) else None


@pytest.mark.parametrize("kind", CELLS)
def test_one_layer_has_two_maps_and_two_biases_for_each_gate(kind):
    found = params(program_of(kind(stacked=False))).total
    assert expand(found - CELLS[kind] * d_s * (d_in + d_s + 2)) == 0


@pytest.mark.parametrize(
    ("kind", "bias", "both"), [*product(CELLS, (True, False), (True, False))]
)
def test_layers_above_the_first_read_the_states_below(kind, bias, both):
    gates, ways = CELLS[kind] * d_s, 2 if both else 1
    first, above = (ways * gates * (x + d_s + 2 * bias) for x in (d_in, ways * d_s))
    program = program_of(kind(bias=bias, bidirectional=both))
    assert expand(params(program).total - first - (L - 1) * above) == 0
    maps = 2 * B * T * ways * gates * (d_in + d_s + (L - 1) * (ways + 1) * d_s)
    assert expand(contraction_flops(program).total - maps) == 0


def test_a_projection_narrows_what_is_carried_and_read():
    program = program_of(LSTM(projected=True, stacked=False))
    assert expand(params(program).total - 4 * d_s * (d_in + d_p + 2) - d_s * d_p) == 0
    assert [y.shape for y in program.outputs] == [(B, T, d_p), (1, B, d_p), (1, B, d_s)]


@pytest.mark.parametrize(
    ("component", "count"),
    [
        (LSTM(stacked=False), 395264),
        (LSTM(bidirectional=True), 2367488),
        (LSTM(projected=True), 364544),
        (GRU(), 691200),
        (GRU(bias=False, bidirectional=True), 2949120),
        (RNN(), 361984),
    ],
    ids=name,
)
def test_parameters_are_those_of_pytorch(component, count):
    """PyTorch 2.13: nn.LSTM, nn.GRU, nn.RNN(128, 256, …), proj_size=64, 2 layers and 3."""
    layers = 3 if count in (2949120, 361984) else 2
    sizes = {d_in: 128, d_s: 256, d_p: 64, L: layers}
    assert params(program_of(component)).total.subs(sizes) == count


def test_backward_is_twice_forward_but_for_the_gradient_of_the_first_state():
    """h₀ is a table of zeros: what the first step's map of the state would send to it is not."""
    program = program_of(LSTM(stacked=False))
    forward, backward = (
        contraction_flops(p).total for p in (program, pullback(program))
    )
    assert expand(backward - 2 * forward) == -2 * B * 4 * d_s**2


@pytest.mark.parametrize(
    ("component", "elements"),
    [
        (RNN(stacked=False), d_in + d_s),  # x and the states
        (GRU(stacked=False), d_in + 7 * d_s),  # x, the states, r, z, n, and h U of width 3
        (LSTM(stacked=False), d_in + 6 * d_s),  # x, both states, four gates
        (LSTM(stacked=False, projected=True), d_in + 6 * d_s + d_p),  # the projected state as well
        (LSTM(), d_in + 6 * L * d_s),  # the states of a layer are the input of the next
        (LSTM(stacked=False, bidirectional=True), d_in + 12 * d_s),
    ],
    ids=name,
)
def test_each_step_keeps_its_gates_and_its_states_once(component, elements):
    kept = saved(pullback(program_of(component)), ELEMENTS).total
    assert expand(kept - B * T * elements) == 0


def test_both_directions_side_by_side_are_a_tensor_that_the_next_layer_keeps():
    kept = saved(pullback(program_of(LSTM(bidirectional=True))), ELEMENTS).total
    assert expand(kept - B * T * (d_in + 12 * L * d_s + 2 * (L - 1) * d_s)) == 0


@pytest.mark.parametrize(
    ("component", "elements"),
    [(RNN(), d_s), (GRU(), d_s), (LSTM(), 2 * d_s), (LSTM(projected=True), d_s + d_p)],
    ids=name,
)
def test_decoding_keeps_the_last_states_of_all_layers(component, elements):
    assert expand(state(program_of(component), ELEMENTS).total - L * B * elements) == 0


def test_a_network_in_both_directions_cannot_decode():
    assert state(program_of(LSTM(bidirectional=True)), ELEMENTS).total == 0


OPTIONS = [
    RNN(nonlinearity="relu", bidirectional=True, stacked=False),
    GRU(bidirectional=True, bias=False, stacked=False),
    LSTM(bidirectional=True, projected=True),
]


@pytest.mark.parametrize("component", OPTIONS, ids=name)
def test_options_hold_together(component):
    failed = [e for e in examine(program_of(component)) if not e.passed]
    assert not failed, failed


def test_one_layer_is_asked_for_as_such():
    with pytest.raises(BadInput, match="L - 1 = 0"):
        derive("lstm", {"L": 1})
    one = derive("lstm", {"stacked": False})
    assert L not in one.program.symbols


@pytest.mark.parametrize("kind", CELLS)
def test_deriving_is_as_long_for_a_thousand_steps_as_for_two(kind):
    def length(number):
        program = program_of(kind(), {"x": "B S d_in"}, {"S": Integer(number)})
        return [len(p.tensors) for p in (*program.bodies, pullback(program))]

    assert length(2) == length(1000)


SIZES = {B: 2, T: 5, d_in: 3, d_s: 4}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rnn(u, h, c, U, b):
    return np.tanh(u + h @ U + b), c


def gru(u, h, c, U, b):
    (u_r, u_z, u_n), (v_r, v_z, v_n) = (np.split(x, 3, axis=-1) for x in (u, h @ U + b))
    r, z = sigmoid(u_r + v_r), sigmoid(u_z + v_z)
    return (1 - z) * np.tanh(u_n + r * v_n) + z * h, c


def lstm(u, h, c, U, b):
    i, f, g, o = np.split(u + h @ U + b, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@pytest.mark.parametrize(("kind", "step"), [(RNN, rnn), (GRU, gru), (LSTM, lstm)])
@pytest.mark.parametrize("both", [False, True])
def test_a_run_equals_a_loop_written_by_hand(kind, step, both):
    program = program_of(kind(stacked=False, bidirectional=both))
    rng = np.random.default_rng(0)
    machine = Machine(SIZES)
    weights = {
        body.path(w): (w, rng.standard_normal(machine.shape(w.shape)))
        for body in program.bodies for w in body.params
    }  # fmt: skip
    x = rng.standard_normal((2, 5, 3))
    found = machine.run(program, {program.inputs[0]: x, **dict(weights.values())})
    sides, ends = [], []
    for way in ["", "_reverse"] if both else [""]:
        W, b, U, c = (
            weights[f"first_layer.{part}"][1]
            for part in (f"ih{way}.W", f"ih{way}.b", f"cell{way}.hh.W", f"cell{way}.hh.b")
        )
        h = cell = np.zeros((2, 4))
        y = np.zeros((2, 5, 4))
        for t in reversed(range(5)) if way else range(5):
            h, cell = step(x[:, t] @ W + b, h, cell, U, c)
            y[:, t] = h
        sides.append(y)
        ends.append((h, cell))
    expected = [np.concatenate(sides, axis=-1), *map(np.stack, zip(*ends, strict=True))]
    for output, array in zip(program.outputs, expected, strict=False):
        np.testing.assert_allclose(found[output], array, rtol=0, atol=1e-13)


def test_the_equations_of_a_layer_and_its_gates_are_those_of_the_literature():
    program = program_of(LSTM(stacked=False))
    scopes = {t.scope.path: t.scope for body in program.bodies for t in body.tensors}
    gates = equations(program, scopes["first_layer", "cell", "gates"])
    assert [str(e) for e in gates] == [
        "i_bo = sigmoid(z_bo)",
        "f_bo = sigmoid(z_{b, o + d_s})",
        "g_bo = tanh(z_{b, o + 2 d_s})",
        "o_bo = sigmoid(z_{b, o + 3 d_s})",
        "c_new_bo = f_bo c_bo + i_bo g_bo",
        "h_bo = o_bo tanh(c_new_bo)",
    ]
    layer = equations(program, scopes["first_layer",])
    assert [str(e) for e in layer] == [
        "y_bti = cell.h^(1…T)(h0, c0, ih(x))_bti",
        "h_bs = cell.h^T(h0, c0, ih(x))_bs",
        "c_bs = cell.c^T(h0, c0, ih(x))_bs",
    ]


def test_the_way_back_through_a_layer_is_its_cell_pulled_back():
    pull = pullback(program_of(RNN(stacked=False)))
    assert [str(e) for e in backward_equations(pull)] == [
        "∂x_bti = first_layer*(∂y, ∂h)_bti"
    ]
