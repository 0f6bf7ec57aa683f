"""DeepSeek-V4: what the reference implementation builds, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput

BUILT = 284_325_869_015
"""The parameters of DeepseekV4ForCausalLM(DeepseekV4Config()) in transformers 5.23.0."""
NEAR, CHOSEN, POOLED = (
    "sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention",
)  # fmt: skip
SMALL = {
    "vocab_size": 40, "hidden_size": 20, "moe_intermediate_size": 6, "num_hidden_layers": 3,
    "num_attention_heads": 2, "head_dim": 16, "q_lora_rank": 5, "n_routed_experts": 4,
    "num_experts_per_tok": 2, "o_groups": 2, "o_lora_rank": 3, "index_n_heads": 2,
    "index_head_dim": 8, "partial_rotary_factor": 0.25, "hc_mult": 2, "sliding_window": 6,
    "compress_rates": {CHOSEN: 2, POOLED: 4}, "layer_types": [NEAR, CHOSEN, POOLED],
}  # fmt: skip


def account(tmp_path, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "deepseek_v4", **keys}), "utf-8")
    return derive(str(path))


def test_the_default_has_the_parameters_that_are_built(tmp_path):
    assert account(tmp_path).params.value == BUILT


def test_a_sequence_remembers_a_window_compressed_keys_and_what_is_left_over(tmp_path):
    """As many bytes as transformers' cache holds (DynamicCache, 11 tokens) but for the window's
    sixth position, which it leaves to the next token: of each layer one vector of 16 numbers."""
    near, pooled = 6 * 16, 6 * 16 + 2 * 16 + 3 * 2 * 16
    chosen = 6 * 16 + (16 + 8) * (5 + 2 * 2 + 2 * 2)
    kept = account(tmp_path, **SMALL).subs(B=1, T=11)["memory.kv_cache"].value
    assert kept == 4 * (near + pooled + chosen)


@pytest.mark.parametrize(
    "older",
    [
        {"compress_ratios": [0, 4, 128, 0]},
        {"compress_ratios": [0, 4, 128], "compress_rate_csa": 2, "compress_rate_hca": 4},
        {"layer_types": [NEAR, CHOSEN, POOLED, CHOSEN], "mlp_layer_types": ["hash_moe"] * 3},
        {"partial_rotary_factor": None, "qk_rope_head_dim": 4, "num_hash_layers": 1},
    ],
)
def test_older_keys_say_the_same(tmp_path, older):
    small = dict(SMALL)
    if "compress_ratios" in older:
        del small["layer_types"]
    if "compress_rate_csa" in older:
        del small["compress_rates"]
    said, now = account(tmp_path, **{**small, **older}), account(tmp_path, **SMALL)
    assert said.params.value == now.params.value
    assert said.assumed.bindings == now.assumed.bindings


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"layer_types": [NEAR, CHOSEN]}, "does not name the kinds of 3 layers"),
        ({"layer_types": [NEAR, CHOSEN, "full_attention"]}, "full_attention"),
        ({"compress_ratios": [0, 4, 8], "layer_types": None}, "compress_ratios = 8"),
        ({"compress_rates": {CHOSEN: 2}}, f"compress_rates has no {POOLED}"),
        ({"mlp_layer_types": ["moe", "dense", "moe"]}, "mlp_layer_types = 'dense'"),
        ({"hc_sinkhorn_iters": 1}, "hc_sinkhorn_iters = 1 is not supported"),
        ({"index_head_dim": 4}, "index_head_dim = 4 is not supported"),
        ({"partial_rotary_factor": 1.0}, "head_dim = 16 is not supported"),
        ({"partial_rotary_factor": 0.2}, "an even number"),
        ({"o_groups": 3}, "o_groups = 3 does not divide"),
        ({"num_experts_per_tok": 5}, "num_experts_per_tok = 5 does not fit"),
        ({"scoring_func": "sigmoid"}, "scoring_func"),
        ({"rope_parameters": {"main": {}, "compress": {"partial_rotary_factor": 0.5}}},
         "as much of a head is turned in all layers"),
    ],
)  # fmt: skip
def test_what_is_not_derived_is_refused_by_name(tmp_path, keys, said):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, **{**SMALL, **keys})
