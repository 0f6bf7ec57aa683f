"""A frozen weight has no gradient, no optimizer state, and keeps nothing."""

import pytest
from sympy import expand

from symledger import derive
from symledger.components.maps.lora import LoRALinear
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import trained_params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.sizes import B, T, d, d_in, d_out, d_r
from tests.components.tables import ELEMENTS, Row, assert_row

WEIGHTS, FACTORS = d_in * d_out, d_r * (d_in + d_out)
FORWARD = 2 * B * T * (WEIGHTS + FACTORS)


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (LoRALinear(),
         Row(WEIGHTS + d_out + FACTORS, FORWARD, B * T * (d_in + d_r), (B, T, d_out))),
        (LoRALinear(bias=False),
         Row(WEIGHTS + FACTORS, FORWARD, B * T * (d_in + d_r), (B, T, d_out))),
    ],
    ids=repr,
)  # fmt: skip
def test_a_linear_map_with_an_update(component, row):
    assert_row(component, row)


def test_only_the_factors_are_trained():
    assert expand(trained_params(program_of(LoRALinear())).total - FACTORS) == 0
    account = derive("lora_linear")
    for quantity, copies in (("memory.gradients", 1), ("memory.optimizer", 2)):
        assert expand(account[quantity].expr - 4 * copies * FACTORS) == 0


@pytest.mark.parametrize(
    ("inputs", "backward"),
    [
        # of the frozen weight, the gradient of what enters it; of each factor, both gradients
        (True, 2 * B * T * (WEIGHTS + 2 * FACTORS)),
        (False, 2 * B * T * (2 * FACTORS - d_r * d_in)),
    ],
)
def test_no_gradient_of_the_frozen_weight_is_computed(inputs, backward):
    pull = pullback(program_of(LoRALinear()), inputs)
    assert expand(contraction_flops(pull).total - backward) == 0


def test_a_frozen_map_alone_keeps_no_activation():
    """torch.nn.Linear with a frozen weight keeps the weight and nothing else."""
    pull = pullback(program_of(LoRALinear()), frozen=("*A", "*B"))
    assert saved(pull, ELEMENTS).total == 0


@pytest.mark.parametrize(("rank", "millions"), [(1, 4.7), (8, 37.7)])
def test_the_published_numbers_of_trained_parameters(rank, millions):
    """Hu et al. (2021), table 4: W_q and W_v in all 96 layers of GPT-3, d = 12288."""
    (case,) = LoRALinear.corollaries.values()
    each = trained_params(program_of(LoRALinear())).total.subs(case).subs({d: 12288, d_r: rank})
    assert round(float(96 * 2 * each) / 10**6, 1) == millions
