"""Gemma 3n: what the reference implementation builds, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput

BUILT = 6_835_235_568
"""The parameters of Gemma3nForCausalLM(Gemma3nTextConfig()) in transformers 5.23.0."""
SMALL = {
    "num_hidden_layers": 6, "num_kv_shared_layers": 2,
    "layer_types": ["sliding_attention", "sliding_attention", "full_attention"] * 2,
}  # fmt: skip


def account(tmp_path, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "gemma3n_text", **keys}), "utf-8")
    return derive(str(path))


def test_the_default_has_the_parameters_that_are_built(tmp_path):
    assert account(tmp_path).params.value == BUILT


def test_networks_that_keep_few_gates_keep_more_for_the_backward_pass(tmp_path):
    """What is centred and what comes out, each of d_ff numbers, and a deviation; fused, 4 bytes."""
    share = [0.95, 0.0, 0.0, 0.0, 0.0, 0.0]
    dense, sparse = (
        account(tmp_path, **SMALL, activation_sparsity_pattern=[x * k for x in share])
        .subs(B=1, T=8)["memory.saved"].value for k in (0, 1)
    )  # fmt: skip
    # a ReLU and a GELU keep what they give and take, which for the latter is the same
    assert sparse - dense == 4 * 8 * (16384 + 1)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"intermediate_size": [64, 64, 64, 64, 64, 96]}, "networks of one width"),
        ({"intermediate_size": [64, 64]}, "does not name the widths of 6 layers"),
        ({"activation_sparsity_pattern": [0.9, 0.9, 0.9, 0.0, 0.0, 0.0]}, "is not supported"),
        ({"activation_sparsity_pattern": 0.9}, "activation_sparsity_pattern = 0.9"),
        ({"num_kv_shared_layers": 6}, "has to come before the shared ones"),
        ({"altup_active_idx": 4}, "of altup_num_inputs = 4 streams"),
        ({"altup_num_inputs": 1, "altup_active_idx": 0}, "altup_num_inputs"),
        ({"altup_correct_scale": False}, "nothing reads"),
        ({"hidden_size": 2050}, "does not divide among 8 heads"),
    ],
)
def test_what_is_not_derived_is_refused_by_name(keys, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, **{**SMALL, **keys})
