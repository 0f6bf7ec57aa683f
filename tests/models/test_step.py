"""Step 3.5: what the reference implementation builds and runs, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput

SMALL = {
    "vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4,
    "intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 16, "moe_intermediate_size": 12,
    "share_expert_dim": 20, "n_routed_experts": 4, "num_experts_per_tok": 2, "sliding_window": 5,
    "layer_types": ["full_attention", *["sliding_attention"] * 3],
}  # fmt: skip
OLDER = {
    **SMALL, "moe_layers_enum": "1,2", "attention_other_setting": {"num_attention_heads": 6},
    "layer_types": [*SMALL["layer_types"], "full_attention"], "num_nextn_predict_layers": 1,
    "partial_rotary_factors": [0.5, *[1.0] * 4], "rope_theta": [5e6, *[1e4] * 4],
}  # fmt: skip
NEWER = {
    **SMALL, "mlp_layer_types": ["dense", "sparse", "sparse", "dense"],
    "per_layer_config": {str(i): {"num_attention_heads": 6} for i in (1, 2, 3)},
}  # fmt: skip
BUILT, FORWARD = 114_944, 4_683_008
"""Parameters of Step3p7TextModel of these, and what FlopCounterMode counts of 2 × 11 tokens on a
CPU, attention operation by operation: transformers 5.23.0, torch 2.13.0."""


def account(tmp_path, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "step3p5", **keys}), "utf-8")
    return derive(str(path))


@pytest.mark.parametrize("keys", [OLDER, NEWER], ids=["older words", "newer words"])
def test_layers_with_a_window_have_heads_of_their_own(keys, tmp_path):
    found = account(tmp_path, **keys)
    assert found.params.value == BUILT
    assert found.subs(B=2, T=11).flops_forward.value == FORWARD


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"per_layer_config": {"1": {"num_attention_heads": 6}}}, "to have as many heads"),
        ({"per_layer_config": {"1": {"head_dim": 8}}}, "num_attention_heads of some"),
        ({"attention_other_setting": {"head_dim": 8}}, "all else as of the others"),
        ({"partial_rotary_factors": [1.0, 0.5, 0.5, 0.5]}, "they turn all of a head"),
        ({"partial_rotary_factors": [0.5]}, "for each of 4 layers"),
        ({"rope_theta": [1e4]}, "no number for each of 4 layers"),
        ({"rope_parameters": {"rope_theta": 1e4}}, "reads it by kind"),
        ({"swiglu_limits": [7.0]}, "swiglu_limits"),
        ({"moe_layers_enum": "all"}, "no list of numbers"),
        ({"num_local_experts": 8}, "num_local_experts"),
        ({"gating": "per-element"}, "gating"),
        ({"sliding_window": None}, "how long it is is not said"),
    ],
)
def test_what_is_not_derived_is_refused_by_name(keys, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, **{**SMALL, **keys})
