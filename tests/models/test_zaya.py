"""ZAYA: what the reference implementation builds, runs and decodes, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput

FULL, SLIDING = "hybrid", "hybrid_sliding"
SMALL = {
    "vocab_size": 99, "hidden_size": 48, "num_hidden_layers": 4, "num_attention_heads": 6,
    "num_key_value_heads": 2, "head_dim": 8, "sliding_window": 5,
    "layer_types": [SLIDING, FULL, SLIDING, FULL], "moe_intermediate_size": 12, "num_experts": 5,
    "router_hidden_size": 7, "cca_time0": 3, "cca_time1": 2, "attention_bias": True,
    "lm_head_bias": True,
}  # fmt: skip
RUN = {
    "both kinds": ({}, 6, 73_984, 1_096_704, 183_552),
    "both kinds, shorter than the window": ({}, 3, 73_984, 539_136, 179_712),
    "one layer": (
        {"num_hidden_layers": 1, "layer_types": [FULL]}, 6, 22_237, 359_712, 60_336),
    "one layer with a window": (
        {"num_hidden_layers": 1, "layer_types": [SLIDING]}, 6, 22_237, 359_712, 59_952),
    "a window in the first layer alone": (
        {"layer_types": [SLIDING, *[FULL] * 3], "attention_bias": False},
        6, 73_472, 1_096_704, 183_936),
    "windows everywhere, heads convolved longer": (
        {"layer_types": [SLIDING] * 4, "cca_time0": 1, "cca_time1": 4},
        6, 77_568, 1_182_720, 197_120),
    "a window in the last layer alone": (
        {"layer_types": [*[FULL] * 3, SLIDING], "cca_time1": 1}, 6, 71_936, 1_044_480, 172_672),
}  # fmt: skip
"""Of ZayaForCausalLM with these keys, for so many tokens of 2 sequences: its parameters, what
FlopCounterMode counts forward, and of the last token after all others with a DynamicCache;
attention and experts operation by operation: transformers 5.23.0, torch 2.13.0."""


def account(tmp_path, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "zaya", **keys}), "utf-8")
    return derive(str(path))


@pytest.mark.parametrize("name", RUN)
def test_layers_are_built_run_and_decode_as_there(name, tmp_path):
    more, T, params, forward, step = RUN[name]
    found = account(tmp_path, **{**SMALL, **more})
    at = found.subs(B=2, T=T)
    assert found.params.value == params
    assert (at.flops_forward.value, at.flops_decode.value) == (forward, step)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"layer_types": ["full_attention"] * 4}, "layer_types"),
        ({"layer_types": [FULL]}, "does not name the kinds of 4 layers"),
        ({"sliding_window": None}, "how long the window is is not said"),
        ({"num_experts_per_tok": 2}, "num_experts_per_tok"),
        ({"cca_time0": 1, "cca_time1": 1}, "nothing of a token before is seen"),
        ({"num_key_value_heads": 1, "head_dim": 7}, "their number is even"),
        ({"rope_parameters": {"rope_theta": 1e4}}, "reads it by kind"),
        ({"rope_parameters": {FULL: {"partial_rotary_factor": 0.5}, SLIDING: {}}},
         "layers of both kinds turn as much"),
        ({"intermediate_size": 64}, "intermediate_size"),
    ],
)  # fmt: skip
def test_what_is_not_derived_is_refused_by_name(keys, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, **{**SMALL, **keys})
