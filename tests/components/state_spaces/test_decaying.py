"""The decaying average of RWKV-4: counts by hand, and what a kernel-free loop keeps."""

import numpy as np
import pytest

from symledger import derive
from symledger.checks.trial import Trial
from symledger.components.state_spaces.decaying import DecayingAverage
from symledger.errors import BadInput
from symledger.ir.ops import Param
from symledger.notation.calling import program_of
from symledger.readings.pullback import pullback
from symledger.sizes import B, T, d_i
from tests.components.tables import Row, assert_row

# kept: keys and values, e to the rate; of a token its key with its bonus, two exponentials, both
# sums of the mean; between tokens three numbers of a channel, the largest exponent decayed and two
# exponentials
KEPT = 2 * B * T * d_i + d_i + 5 * B * T * d_i + 6 * B * (T - 1) * d_i


def test_counts():
    assert_row(DecayingAverage(), Row(2 * d_i, 0, KEPT, (B, T, d_i)))


def test_it_is_the_mean_that_it_is_said_to_be():
    program = program_of(DecayingAverage())
    trial = Trial(program, pullback(program), {B: 2, T: 4, d_i: 3})
    weights = {leaf.op.name: a for leaf, a in trial.leaves.items() if isinstance(leaf.op, Param)}
    k, v = (trial.leaves[x] for x in program.inputs)
    y = trial.values[program.outputs[0]]
    rate, bonus = np.exp(weights["w"]), weights["u"]
    for t in range(4):
        counted = [np.exp(k[:, s] - (t - s - 1) * rate) for s in range(t)]
        counted.append(np.exp(k[:, t] + bonus))
        mean = sum(n * v[:, s] for s, n in enumerate(counted)) / sum(counted)
        assert y[:, t] == pytest.approx(mean)


def test_a_single_token_is_refused_but_for_decoding():
    with pytest.raises(BadInput, match="T = 1, but it may not be less than 2"):
        derive("decaying_average", {"T": 1})
    assert derive("decaying_average", {"T": 1, "cached": "true"}).flops_forward.value == 0


def test_decoding_remembers_five_vectors_of_a_layer():
    """transformers 5.23, ``RwkvModel``: two of its state are as wide as the model, three inside."""
    account = derive("rwkv", {"L": 3, "d": 8, "d_i": 12, "B": 2})
    assert account["memory.kv_cache"].value == 4 * 3 * 2 * (2 * 8 + 3 * 12)
