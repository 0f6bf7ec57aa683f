"""dots3-note: what configurations say in several words, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput

FULL, SLIDING = "full_attention", "sliding_attention"
SMALL = {
    "vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 4, "intermediate_size": 48, "kv_lora_rank": 12, "q_lora_rank": 20,
    "moe_intermediate_size": 12, "n_routed_experts": 4, "num_experts_per_tok": 2,
    "pad_token_id": 0, "layer_types": [FULL, SLIDING, SLIDING],
}  # fmt: skip
NEAR = {"num_attention_heads": 2, "num_key_value_heads": 2, "kv_lora_rank": 20, "head_dim": 24,
        "qk_nope_head_dim": 16, "v_head_dim": 10, "q_lora_rank": 8}  # fmt: skip


def account(tmp_path, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "dots3_note_text", **keys}), "utf-8")
    return derive(str(path))


def test_sizes_of_windows_may_be_said_behind_a_prefix_or_layer_by_layer(tmp_path):
    older = account(tmp_path, **SMALL, **{f"swa_{name}": n for name, n in NEAR.items()})
    rows = {str(i): {**NEAR, "qk_rope_head_dim": 8} for i in (1, 2)}
    newer = account(tmp_path, **SMALL | {"layer_types": ["indexed_attention", SLIDING, SLIDING]},
                    sliding_window=512, per_layer_config=rows)  # fmt: skip
    assert older.params.value == newer.params.value
    assert older.subs(T=7).flops_forward.value == newer.subs(T=7).flops_forward.value


def test_layers_that_see_everything_are_indexed_unless_they_are_not(tmp_path):
    told = account(tmp_path, **SMALL).params.value
    plain = account(tmp_path, **SMALL, use_dsa=False).params.value
    n_i, d_x, d_q, d = 64, 128, 20, 64
    assert told - plain == d_q * n_i * d_x + d * d_x + 2 * d_x + d * n_i


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"layer_types": [FULL, "indexed_attention", SLIDING], "per_layer_config": {
            "2": {**NEAR, "qk_rope_head_dim": 8}}}, "all of them are indexed, or none"),
        ({"layer_types": [FULL]}, "does not name the kinds of 3 layers"),
        ({"swa_head_dim": 192}, "qk_rope_head_dim = 0"),
        ({"swa_qk_rope_head_dim": 32}, "add up to 224"),
        ({"num_key_value_heads": 2}, "heads of latent attention"),
        ({"per_layer_config": {"1": {"index_topk": 8}, "2": {"index_topk": 8}}}, "are meant"),
        ({"per_layer_config": {"1": {"kv_lora_rank": 8}}}, "of every sliding_attention layer"),
        ({"q_lora_rank": None}, "q_lora_rank"),
        ({"n_shared_experts": 0}, "n_shared_experts"),
        ({"n_group": 3}, "n_group = 3"),
        ({"index_head_dim": 64}, "index_head_dim = 64"),
        ({"moe_layer_freq": [1]}, "less than of 3 layers"),
        ({"rope_parameters": {SLIDING: {"rope_type": "default"}}}, "not of indexed_attention"),
    ],
)  # fmt: skip
def test_what_is_not_derived_is_refused_by_name(keys, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, **{**SMALL, **keys})
