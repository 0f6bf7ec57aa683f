"""Models whose blocks are recomputed: published formulas, and what changes for every model."""

import pytest
from sympy import Integer, diff, expand

from symledger import derive
from symledger.sizes import B, L, T, V, d

MODELS = ("mini_gpt", "gpt2", "llama", "mixtral", "bert", "bert_pretraining", "bert_classifier")
OPTIONS = {"recompute": "true"}


def test_training_flops_of_narayanan_et_al():
    """Efficient Large-Scale Language Model Training on GPU Clusters (2021), section 5.1."""
    published = 96 * B * T * L * d**2 * (1 + T / (6 * d) + V / (16 * L * d))
    assert expand(derive("gpt2", OPTIONS).flops_training.corollary - published) == 0


def test_training_flops_without_recomputation_lack_one_forward_of_the_blocks():
    with_, without = (derive("gpt2", o).flops_training.corollary for o in (OPTIONS, {}))
    blocks = 24 * B * T * L * d**2 + 4 * B * T**2 * L * d
    assert expand(with_ - 4 * blocks - 6 * B * T * V * d) == 0
    assert expand(without - 3 * blocks - 6 * B * T * V * d) == 0


def test_activations_of_korthikanti_et_al():
    """Reducing Activation Recomputation (2022), table 2: 2sbh bytes a layer, at 2 bytes a value."""
    with_ = derive("gpt2", {**OPTIONS, "dropout": "true"}, dtype="fp16").memory_saved.corollary
    assert expand(diff(with_, L) - 2 * B * T * d) == 0


@pytest.mark.parametrize("name", MODELS)
def test_blocks_keep_what_enters_and_run_once_more(name):
    with_, without = derive(name, OPTIONS), derive(name)
    assert expand(with_.params.expr - without.params.expr) == 0
    assert expand(with_.flops_forward.expr - without.flops_forward.expr) == 0
    assert expand(diff(with_.memory_saved.expr, L) - 4 * B * T * d) == 0
    assert expand((with_.memory_saved.expr - without.memory_saved.expr).subs(L, 0)) == 0
    forward = without.flops_forward.expr
    blocks = forward - forward.subs(L, Integer(0))
    assert expand(with_.flops_backward.expr - without.flops_backward.expr - blocks) == 0
