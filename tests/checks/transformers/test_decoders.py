"""Decoders with a key that is seldom said, built by transformers: the same weights and FLOPs."""

import json

import pytest

pytest.importorskip("torch", reason="needs PyTorch")
pytest.importorskip("transformers", reason="needs PyTorch")

from symledger import derive
from symledger.checks.transformers import building, passes
from symledger.checks.transformers import comparison as built
from symledger.checks.transformers.weights import compare, weights
from symledger.errors import BadInput
from tests.every import COSTLY

SMALL = {"vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
         "intermediate_size": 48}  # fmt: skip
PHIMOE = {"model_type": "phimoe", **SMALL, "num_key_value_heads": 2, "num_local_experts": 4,
          "max_position_embeddings": 32}  # fmt: skip
GLM = {"model_type": "glm4_moe", **SMALL, "n_routed_experts": 8, "moe_intermediate_size": 24}
DEEPSEEK = {"model_type": "deepseek_v2", **SMALL, "moe_intermediate_size": 24,
            "num_key_value_heads": 4, "n_routed_experts": 8}  # fmt: skip
CASES = {
    "a window of phimoe": {**PHIMOE, "sliding_window": 8},
    "one expert of phimoe": {**PHIMOE, "num_experts_per_tok": 1},
    "three experts of phimoe": {**PHIMOE, "num_experts_per_tok": 3, "sliding_window": 5},
    "five heads of glm4_moe": {**GLM, "num_attention_heads": 5, "num_key_value_heads": 5},
    "seven heads of glm4_moe": {**GLM, "num_attention_heads": 7, "num_key_value_heads": 1},
    "the default glm4_moe": {"model_type": "glm4_moe"},
    **{f"heads of {name} that do not divide its width": {
        "model_type": name, **SMALL, "hidden_size": 65, "num_key_value_heads": 2,
        "pad_token_id": 0,
    } for name in ("qwen2", "starcoder2", "mistral", "cohere", "olmo2", "phi", "phi3", "granite")},
    **{f"experts of {name}, and heads that do not divide": {
        "model_type": name, **SMALL, "hidden_size": 65, "num_key_value_heads": 2, keys: 8,
        "num_experts_per_tok": 2, "pad_token_id": 0,
    } for name, keys in (("mixtral", "num_local_experts"), ("qwen3_moe", "num_experts"),
                         ("granitemoe", "num_local_experts"))},
    "biases of deepseek_v2": {**DEEPSEEK, "num_experts_per_tok": 3, "mlp_bias": True},
    "dense deepseek_v2": {**DEEPSEEK, "first_k_dense_replace": 3, "mlp_bias": True},
    "biases of mpt": {"model_type": "mpt", "d_model": 32, "n_heads": 4, "n_layers": 2,
                      "vocab_size": 99, "no_bias": False},
    **{f"answers of {name}": {
        "model_type": name.lower(), **SMALL, "architectures": [f"{name}ForQuestionAnswering"],
    } for name in ("Arcee", "DiffLlama")},
    "limits of mamba2 as files spell them": {
        "model_type": "mamba2", "hidden_size": 24, "num_hidden_layers": 2, "num_heads": 6,
        "head_dim": 8, "n_groups": 2, "vocab_size": 97,
        "time_step_limit": [0.0, {"__float__": "Infinity"}],
    },
    "heads of zamba2 as a file says them": {
        "model_type": "zamba2", "vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2,
        "layers_block_type": ["linear_attention", "hybrid"], "num_attention_heads": 4,
        "n_mamba_heads": 4, "mamba_d_state": 5, "intermediate_size": 24, "attention_head_dim": 24,
    },
    "no layers of another width of gemma4": {
        "model_type": "gemma4_text", **SMALL, "num_key_value_heads": 2, "head_dim": 24,
        "hidden_size_per_layer_input": 0, "num_kv_shared_layers": 0, "per_layer_config": None,
        "layer_types": ["sliding_attention", "full_attention", "full_attention"],
    },
    "streams of gemma3n, of layers of several kinds": {
        "model_type": "gemma3n_text", **SMALL, "num_hidden_layers": 9, "num_key_value_heads": 2,
        "head_dim": 24, "num_kv_shared_layers": 3, "layer_types": [
            *["sliding_attention"] * 3, *["full_attention"] * 3, *["sliding_attention"] * 2,
            "full_attention",
        ], "activation_sparsity_pattern": [0.95, *[0.0] * 2, 0.9, *[0.0] * 5],
        "vocab_size_per_layer_input": 50, "hidden_size_per_layer_input": 6, "laurel_rank": 5,
        "altup_num_inputs": 3, "altup_active_idx": 1,
    },
    "windows of dots3_note_text with sizes of their own": {
        "model_type": "dots3_note_text", **SMALL, "num_key_value_heads": 4, "pad_token_id": 0,
        "kv_lora_rank": 12, "q_lora_rank": 20, "moe_intermediate_size": 12, "n_routed_experts": 4,
        "num_experts_per_tok": 2, "layer_types": ["indexed_attention", *["sliding_attention"] * 2],
        "sliding_window": 5, "per_layer_config": {str(i): {
            "num_attention_heads": 2, "num_key_value_heads": 2, "kv_lora_rank": 20,
            "head_dim": 24, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 10,
        } for i in (1, 2)},
    },
    "dense layers of muse_spark_text, and windows that are listed": {
        "model_type": "muse_spark_text", **SMALL, "num_key_value_heads": 2, "head_dim": 12,
        "moe_intermediate_size": 12, "moe_hidden_size": 20, "num_local_experts": 4,
        "num_experts_per_tok": 2, "mlp_layer_types": ["dense", "sparse", "sparse"],
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        "layer_rope_theta": [1e4, 0, 1e4], "sliding_window": 5, "attention_bias": True,
        "bos_token_id": 1, "eos_token_id": 2,
    },
    "dense layers of mistral_large4_text that are told no positions": {
        "model_type": "mistral_large4_text", **SMALL, "num_key_value_heads": 4, "kv_lora_rank": 12,
        "qk_rope_head_dim": 8, "moe_intermediate_size": 12, "n_routed_experts": 4,
        "num_experts_per_tok": 2, "index_head_dim": 16, "first_k_dense_replace": 2,
        "no_rope_layers": [1, 0, 0],
    },
    "every kind of layer of deepseek_v4": {
        "model_type": "deepseek_v4", "vocab_size": 40, "hidden_size": 20, "num_hidden_layers": 4,
        "moe_intermediate_size": 6, "num_attention_heads": 2, "head_dim": 16, "q_lora_rank": 5,
        "n_routed_experts": 4, "num_experts_per_tok": 2, "o_groups": 2, "o_lora_rank": 3,
        "index_n_heads": 2, "index_head_dim": 8, "partial_rotary_factor": 0.25, "hc_mult": 2,
        "sliding_window": 6, "compress_rate_csa": 2, "compress_rate_hca": 3, "mlp_bias": True,
        "compress_ratios": [0, 4, 128, 4], "num_hash_layers": 1, "n_shared_experts": 2,
    },
    "prompts of cpmant": {
        "model_type": "cpmant", "vocab_size": 40, "hidden_size": 20, "num_attention_heads": 3,
        "dim_head": 6, "dim_ff": 14, "num_hidden_layers": 2, "position_bias_num_buckets": 8,
        "position_bias_max_distance": 16, "prompt_types": 3, "prompt_length": 5,
        "segment_types": 4,
    },
    "mambapy": {"model_type": "mamba", "hidden_size": 32, "num_hidden_layers": 2,
                "vocab_size": 99, "use_mambapy": True},
}  # fmt: skip


def account(document, folder):
    path = folder / "config.json"
    path.write_text(json.dumps(document), "utf-8")
    return derive(str(path))


@COSTLY(3)
@pytest.mark.parametrize("name", CASES)
def test_the_implementation_has_our_weights_and_flops(name, tmp_path):
    found = account(CASES[name], tmp_path)
    model = building.build(found.target.configured)
    if found.readings.has_routed:  # experts token by token: one by one they depend on values
        model.set_experts_implementation("batched_mm")
    names = found.target.configured.family.tensors
    assert compare(weights(found), building.shapes(model), names) == []
    assert found.params.value == sum(p.numel() for p in model.parameters())
    forward, _ = passes.flops(model, built.LENGTHS)
    assert found.subs(built.LENGTHS).flops_forward.value == forward


@pytest.mark.parametrize("T", [17, 18])
def test_a_step_after_compressed_keys_has_the_flops_of_the_implementation(T, tmp_path):
    """Of 18 positions the last completes groups, of 17 it fills none."""
    found = account(CASES["every kind of layer of deepseek_v4"], tmp_path)
    model = built.build(found.target.configured)
    model.set_experts_implementation("batched_mm")
    lengths = {"B": 2, "T": T}
    assert found.subs(lengths)["flops.decode"].value == built.decoded(model, lengths)


def test_a_step_after_a_prompt_has_the_flops_of_the_implementation(tmp_path):
    found = account(CASES["prompts of cpmant"], tmp_path)
    lengths = {"B": 2, "T": 11}
    counted = built.decoded(built.build(found.target.configured), lengths)
    assert found.subs(lengths)["flops.decode"].value == counted


def test_what_is_not_said_has_no_number(tmp_path):
    """The default DeepSeek-V2 does not say how many experts a token uses: it cannot be run."""
    found = account({"model_type": "deepseek_v2"}, tmp_path)
    model = building.build(found.target.configured)
    assert found.params.value == sum(p.numel() for p in model.parameters())
    with pytest.raises(TypeError, match="NoneType"):
        passes.flops(model, built.LENGTHS)
    assert found.flops_forward.value is None
    assert "k" in found.flops_forward.text
    assert found.subs(k=6).flops_forward.value > found.subs(k=2).flops_forward.value > 0


def test_what_others_make_of_a_key_is_said(tmp_path):
    keys = {k.name: k for k in account(CASES["biases of mpt"], tmp_path).target.configured.keys}
    assert "--set bias=true" in keys["no_bias"].sets
    other = account(CASES["biases of mpt"], tmp_path).at({"bias": "true"})
    d, L = 32, 2
    assert other.params.value - account(CASES["biases of mpt"], tmp_path).params.value == (
        L * (3 * d + d + 4 * d + d + 2 * d) + d
    )
    keys = {k.name: k for k in account(CASES["one expert of phimoe"], tmp_path)
            .target.configured.keys}  # fmt: skip
    assert keys["num_experts_per_tok"].sets.startswith("k = 2: its router")


def test_a_head_without_an_element_is_refused(tmp_path):
    with pytest.raises(BadInput, match="no head would have an element"):
        account({**GLM, "num_attention_heads": 128}, tmp_path)
