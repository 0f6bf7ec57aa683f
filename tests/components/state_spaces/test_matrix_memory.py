"""The matrix memory of xLSTM: counts by hand, chunks and steps alike."""

import numpy as np
import pytest

from symledger import derive
from symledger.checks.trial import Trial
from symledger.components.state_spaces.matrix_memory import MatrixMemory
from symledger.errors import BadInput
from symledger.notation.calling import program_of
from symledger.readings.pullback import pullback
from symledger.sizes import B, Q, T, d_k, d_v, h, n_c
from tests.components.tables import Row, assert_row

OUT = (B, T, h, d_v)
MEMORY = 4 * d_k * d_v + 2 * d_k  # written and read, and the sum of weights
PAIRS = 2 * Q * (d_k + d_v)
# kept of a token taken by itself: three matrices (what was, what is new, both together); its key,
# what sums were and are, its query scaled; its value and what is read; nine numbers
ALONE = 3 * d_k * d_v + 4 * d_k + 2 * d_v + 9


def test_counts():
    flops = B * T * h * (MEMORY + PAIRS)
    assert_row(MatrixMemory(rest="all"), Row(0, B * T * h * MEMORY, B * T * h * ALONE, OUT))
    assert derive("matrix_memory")["flops.forward"].expr.equals(flops)


@pytest.mark.parametrize("tokens", [6, 7])
def test_chunks_and_steps_are_the_same_sum(tokens):
    """Each token reads all before it, weighted by both gates, over the sum of these weights."""
    sizes = {B: 2, T: tokens, h: 2, d_k: 3, d_v: 4, Q: 2, n_c: tokens // 2}
    rng = np.random.default_rng(0)
    given = [rng.standard_normal((2, tokens, 2, *width)) for width in ((3,), (3,), (4,), (), ())]
    found = []
    for rest in ("all", "some" if tokens % 2 else "none"):
        program = program_of(MatrixMemory(rest=rest))
        trial = Trial(program, pullback(program), sizes)
        for leaf, array in zip(program.inputs, given, strict=True):
            trial.leaves[leaf] = array
        found.append(trial.values[program.outputs[0]])
    assert found[0] == pytest.approx(found[1])
    q, k, v, i, f = given
    fading = np.log(1 / (1 + np.exp(-f))).cumsum(1)
    for t in range(tokens):
        left = np.exp(i[:, : t + 1] + fading[:, t : t + 1] - fading[:, : t + 1])
        fit = np.einsum("bhk,bshk->bsh", q[:, t], k[:, : t + 1]) / np.sqrt(3) * left
        over = np.maximum(np.abs(fit.sum(1)), 1)
        assert found[0][:, t] == pytest.approx(
            np.einsum("bsh,bshv->bhv", fit, v[:, : t + 1]) / over[..., None]
        )


def test_a_text_that_does_not_divide_into_chunks_is_refused_unless_some_are_in_none():
    with pytest.raises(BadInput, match="T/Q"):
        derive("matrix_memory", {"T": 7, "Q": 2})
    assert derive("matrix_memory", {"T": 7, "Q": 2, "rest": "some"})
    with pytest.raises(BadInput, match="T/Q = 1, but it may not be less than 2"):
        derive("matrix_memory", {"T": 7, "Q": 7})


def test_decoding_remembers_a_matrix_a_vector_and_a_number_of_each_head():
    account = derive("xlstm", {"L": 3, "h": 2, "d_k": 4, "d_v": 5, "B": 2})
    assert account["memory.kv_cache"].value == 4 * 3 * 2 * 2 * (4 * 5 + 4 + 1)
