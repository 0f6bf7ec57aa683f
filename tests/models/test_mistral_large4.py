"""Mistral Large 4: what layers without positions have, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput

SMALL = {
    "vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 4, "intermediate_size": 48, "kv_lora_rank": 12, "qk_rope_head_dim": 8,
    "moe_intermediate_size": 12, "n_routed_experts": 4, "num_experts_per_tok": 2,
    "index_n_heads": 2, "index_head_dim": 16,
}  # fmt: skip


def account(tmp_path, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "mistral_large4_text", **keys}), "utf-8")
    return derive(str(path))


def test_a_layer_without_positions_maps_whole_keys_from_the_latent_vector(tmp_path):
    told = account(tmp_path, **SMALL, no_rope_layers=[1, 1, 1, 1]).params.value
    some = account(tmp_path, **SMALL, no_rope_layers=[0, 1, 0, 1]).params.value
    d, d_c, d_rot, h = 64, 12, 8, 4
    assert some - told == 2 * (d_c * h * d_rot - d * d_rot)


def test_a_layer_without_positions_remembers_less(tmp_path):
    """Nothing of a key is turned, so that nothing of it is kept beside the latent vector."""
    told, none = (
        account(tmp_path, **SMALL, no_rope_layers=[way] * 4).subs(B=1, T=9)["memory.kv_cache"].value
        for way in (1, 0)
    )
    assert told - none == 4 * 4 * 9 * 8


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"kv_source_layers": [0, 0, 2, 3]}, "kv_source_layers = .* is not supported"),
        ({"indexer_types": ["full", "shared", "full", "full"]}, "layers without an indexer"),
        ({"index_topk_freq": 2}, "layers without an indexer"),
        ({"no_rope_layers": [1, 0]}, "of each of 4 layers"),
        ({"no_rope_layers": [1, 0, 2, 1]}, "no_rope_layers = 2"),
        ({"layer_types": ["full_attention"] * 4}, "every layer is indexed_attention"),
        ({"num_key_value_heads": 2}, "heads of latent attention"),
        ({"index_head_dim": 8}, "index_head_dim = 8"),
        ({"n_group": 3}, "n_group = 3"),
        ({"num_experts": 8}, "num_experts"),
    ],
)
def test_what_is_not_derived_is_refused_by_name(keys, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, **{**SMALL, **keys})
