"""NumPy runs what was recorded, operation by operation."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Integer

from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.attention.flash import FlashAttention
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.heads_and_losses.losses import CrossEntropy
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.errors import DefinitionError
from symledger.ir.ops import Contract
from symledger.models.mini_gpt.model import MiniGPT
from symledger.notation.calling import program_of
from symledger.readings.numpy.arithmetic import FLOATS
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.sources import own_leaves, random_leaves
from symledger.readings.numpy.values import Values
from symledger.readings.pullback import pullback
from symledger.sizes import B, L, S, T, V, d, d_k, d_v, h, h_kv
from tests.readings.small import LENGTHS, Collect, Lookup, M, Peak, Pick, Recurrent, Shifted, Stack


def run(component, given=(), sizes=LENGTHS, arithmetic=FLOATS):
    """Run a component; ``given`` replaces its first inputs. Return inputs, weights, results."""
    program, machine = program_of(component), Machine(sizes, arithmetic)
    leaves = random_leaves(program, machine.length, np.random.default_rng(5))
    leaves |= dict(zip(program.inputs, given, strict=False))
    values = machine.run(program, leaves)
    entered = [leaves[x] for x in program.inputs]
    weights = [leaves[x] for x, _ in own_leaves(program) if x not in program.inputs]
    return entered, weights, [values[y] for y in program.outputs]


def test_softmax_is_exponentials_over_their_sum():
    (x,), _, (y,) = run(Softmax())
    e = np.exp(x)
    assert y == pytest.approx(e / e.sum(-1, keepdims=True))


def test_softmax_of_huge_numbers_does_not_overflow():
    n = next(s for s in LENGTHS if s.name == "n")
    _, _, (y,) = run(Softmax(), [np.full((2, 3, 5), 1e4)], {**LENGTHS, n: 5})
    assert y == pytest.approx(np.full((2, 3, 5), 0.2))


def test_layer_norm_has_mean_0_and_variance_1_before_gain_and_shift():
    (x,), (g, b), (y,) = run(LayerNorm())
    n = (y - b) / g
    assert n.mean(-1) == pytest.approx(np.zeros(n.shape[:-1]), abs=1e-12)
    assert n.var(-1) == pytest.approx(x.var(-1) / (x.var(-1) + 1e-5))


def test_rms_norm_has_mean_square_1_before_its_gain():
    (x,), (g,), (y,) = run(RMSNorm())
    square = (x**2).mean(-1)
    assert ((y / g) ** 2).mean(-1) == pytest.approx(square / (square + 1e-5))


def test_cross_entropy_is_the_mean_surprise():
    (logits, targets), _, (loss,) = run(CrossEntropy())
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    assert loss == pytest.approx(-np.log(np.take_along_axis(p, targets[..., None], -1)).mean())


@pytest.mark.parametrize("causal", [False, True])
def test_flash_attention_gives_what_attention_gives(causal):
    _, _, (plain,) = run(ScaledDotProduct(causal=causal))
    _, _, (flash,) = run(FlashAttention(causal=causal))
    assert flash == pytest.approx(plain)


def test_attention_of_grouped_heads_is_equation_1_of_vaswani_et_al():
    (q, k, v), _, (z,) = run(ScaledDotProduct())
    groups = LENGTHS[h] // LENGTHS[h_kv]
    k, v = np.repeat(k, groups, axis=2), np.repeat(v, groups, axis=2)
    scores = np.einsum("bthk,bshk->bhts", q, k) / np.sqrt(LENGTHS[d_k])
    a = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    assert z == pytest.approx(np.einsum("bhts,bshv->bthv", a, v))


def test_a_query_sees_no_later_key():
    """The last query sees all keys: changing the last key and value changes its result alone."""
    sizes = {B: 1, T: 3, S: 5, h: 2, h_kv: 1, d_k: 4, d_v: 2}
    entered, _, (before,) = run(ScaledDotProduct(causal=True), (), sizes)
    q, k, v = entered
    moved = [np.concatenate([x[:, :-1], x[:, -1:] + 1], axis=1) for x in (k, v)]
    _, _, (after,) = run(ScaledDotProduct(causal=True), [q, *moved], sizes)
    assert np.array_equal(before[:, :-1], after[:, :-1])
    assert not np.allclose(before[:, -1], after[:, -1])


def test_decoding_against_a_cache_gives_the_last_rows_of_the_whole():
    sizes = {**LENGTHS, T: 5}
    whole = program_of(Attention(causal=True, rotary=True))
    cached = program_of(
        Attention(causal=True, rotary=True),
        {"x": "B T d", "past_k": "B P h_kv d_k", "past_v": "B P h_kv d_v"},
    )
    machine = Machine(sizes)
    leaves = random_leaves(whole, machine.length, np.random.default_rng(2))
    values = machine.run(whole, leaves)
    k, v = (values[whole.scope.steps[name]] for name in "kv")
    p = next(s for s in LENGTHS if s.name == "P")
    weights = {w: leaves[old] for w, old in zip(cached.params, whole.params, strict=True)}
    x = leaves[whole.inputs[0]]
    inputs = dict(zip(cached.inputs, (x[:, 3:], k[:, :3], v[:, :3]), strict=True))
    again = Machine({**sizes, T: 2, p: 3}).run(cached, {**weights, **inputs})
    assert again[cached.outputs[0]] == pytest.approx(values[whole.outputs[0]][:, 3:])


@pytest.mark.parametrize("skip_masked", [False, True])
def test_skipping_the_pairs_that_do_not_count_changes_no_result(skip_masked):
    _, _, (plain,) = run(ScaledDotProduct(causal=True))
    arithmetic = replace(FLOATS, skip_masked=skip_masked)
    _, _, (made,) = run(ScaledDotProduct(causal=True), (), LENGTHS, arithmetic)
    assert made == pytest.approx(plain)


def test_rows_are_picked_and_added_at_whole_numbers():
    (tokens,), (E,), (x,) = run(TokenEmbedding())
    assert np.array_equal(x, E[tokens])
    (tokens,), (E,), (y,) = run(Lookup())
    assert np.array_equal(y, np.tanh(E[tokens]))
    (rows, index), _, (table,) = run(Collect(), [np.ones((2, 3, 11)), np.full((2, 3), 4)])
    assert table[4] == pytest.approx(np.full(11, 36.0))  # six rows of ones added, then squared
    assert table.sum() == pytest.approx(11 * 36.0)
    assert rows.shape[:-1] == index.shape


def test_each_example_picks_rows_of_its_own():
    (x, index), _, (y,) = run(Pick())
    assert np.array_equal(y, np.stack([x[b][index[b]] ** 2 for b in range(len(x))]))


def test_slices_are_joined_and_padded_in_place():
    (x,), _, (y,) = run(Shifted())
    rolled = np.roll(x, 1, axis=1)
    tail = np.concatenate([x[:, 1:], np.zeros_like(x[:, :1])], axis=1)
    assert y == pytest.approx(rolled * tail + x)


def test_the_first_of_equal_maxima_gets_the_gradient():
    program = program_of(Peak())
    pull, machine = pullback(program), Machine({B: 1, T: 1, d: 3})
    values = machine.run(program, {program.inputs[0]: np.array([[[2.0, 5.0, 5.0]]])})
    (gradient,) = machine.back(pull, values, {pull.seeds[0]: np.ones((1, 1, 3))}).values()
    assert gradient.ravel() == pytest.approx([5, 5 + 12, 5])


def test_a_repetition_runs_once_for_each_application_with_weights_of_its_own():
    (x,), (W,), (y,) = run(Stack(nested=True))
    assert W.shape == (LENGTHS[L], LENGTHS[M], LENGTHS[d], LENGTHS[d])
    for w in W.reshape(-1, LENGTHS[d], LENGTHS[d]):
        x = np.tanh(x @ w)
    assert y == pytest.approx(x)


def test_shared_weights_are_one_set():
    (x,), (W,), (y,) = run(Stack(shared=True))
    assert W.shape == (LENGTHS[d], LENGTHS[d])
    for _ in range(LENGTHS[L]):
        x = np.tanh(x @ W)
    assert y == pytest.approx(x)


class Watched(Machine):
    """A machine that remembers what it executed."""

    def __init__(self, sizes):
        super().__init__(sizes)
        self.done = []

    def execute(self, t, args):
        self.done.append(type(t.op))
        return super().execute(t, args)


def test_the_first_application_runs_the_program_that_asks_for_no_input_gradient():
    """Of L applications all go back to their weights, and all but the first to their input."""
    program = program_of(Recurrent())
    pull, machine = pullback(program), Watched(LENGTHS)
    values = machine.run(program, random_leaves(program, machine.length, np.random.default_rng(0)))
    machine.done.clear()
    machine.back(pull, values, {pull.seeds[0]: np.ones((LENGTHS[B], LENGTHS[d]))})
    assert machine.done.count(Contract) == 2 * LENGTHS[L] - 1


def test_what_is_drawn_for_whole_numbers_lies_below_their_bound():
    program = program_of(MiniGPT())
    drawn = random_leaves(program, Machine({**LENGTHS, B: 50}).length, np.random.default_rng(0))
    tokens = drawn[program.inputs[0]]
    assert (tokens.min(), tokens.max()) == (0, LENGTHS[V] - 1)


def test_sizes_that_do_not_divide_are_refused():
    with pytest.raises(DefinitionError, match=r"T/2 = 3/2 is not a whole number"):
        Machine({T: 3}).length(T / 2)
    assert Machine({T: 4}).length(T / 2) == 2


def test_a_value_that_was_not_kept_is_missed():
    program = program_of(Softmax())
    pull, machine = pullback(program), Machine(LENGTHS)
    with pytest.raises(DefinitionError, match="which was not kept"):
        machine.back(pull, Values({}), {pull.seeds[0]: np.ones((2, 3, 5))})


def test_an_imaginary_step_gives_the_gradient_to_the_last_digit():
    """Softmax is analytic but for its maximum, which is taken from the real part."""
    program = program_of(Softmax())
    pull, machine = pullback(program), Machine(LENGTHS)
    rng = np.random.default_rng(1)
    x, dy, direction = (rng.standard_normal((2, 3, 5)) for _ in range(3))
    (gradient,) = machine.back(
        pull, machine.run(program, {program.inputs[0]: x}), {pull.seeds[0]: dy}
    ).values()
    moved = machine.run(program, {program.inputs[0]: x + 1e-30j * direction})
    slope = np.sum(moved[program.outputs[0]] * dy).imag / 1e-30
    assert slope == pytest.approx(np.sum(gradient * direction), rel=1e-13)


def test_a_constant_is_a_number_of_the_run():
    assert Machine({d: 4}).constant(1 / d**2) == 1 / 16
    assert Machine({}).constant(Integer(3)) == 3.0
