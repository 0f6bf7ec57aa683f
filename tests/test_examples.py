"""The example of a user's own model: derived as its page says, counted by hand, and checked."""

import pytest

from symledger.accounts.account import derive
from symledger.checks.runner import examine
from tests import documents

EXAMPLE = f"{documents.ROOT / 'examples' / 'my_model.py'}:"
FROZEN = ("layer.block.*", "token_embedding.*", "final_norm.*")


def test_an_adapter_has_two_affine_maps():
    # down: d r weights and r biases; up: r d weights and d biases
    assert repr(derive(EXAMPLE + "Adapter").params) == "<adapter.params: 2dr + d + r parameters>"


def test_the_model_has_as_many_parameters_as_a_count_by_hand():
    V, d, L, r = 50257, 768, 12, 48
    block = 4 * (d * d + d) + (4 * d * d + 4 * d) + (4 * d * d + d) + 4 * d
    adapter = 2 * d * r + d + r
    assert derive(EXAMPLE + "AdaptedGPT").params.value == V * d + L * (block + adapter) + 2 * d


def test_only_what_is_trained_has_a_gradient():
    trained = derive(EXAMPLE + "AdaptedGPT", frozen=FROZEN).memory_gradients
    assert trained.value == 4 * 12 * (2 * 768 * 48 + 768 + 48)


@pytest.mark.parametrize("quantity", ["flops.backward", "memory.saved", "memory.training"])
def test_freezing_costs_nothing_and_saves_something(quantity):
    everything = derive(EXAMPLE + "AdaptedGPT")[quantity].value
    adapters = derive(EXAMPLE + "AdaptedGPT", frozen=FROZEN)[quantity].value
    assert 0 < adapters < everything


@pytest.mark.parametrize("name", ["Adapter", "AdaptedGPT"])
def test_the_example_passes_the_checks_of_the_catalogue(name):
    found = list(examine(derive(EXAMPLE + name).program, quick=True))
    assert found
    assert [evidence.detail for evidence in found if not evidence.passed] == []
