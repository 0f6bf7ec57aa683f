"""Inkling: what the reference implementation builds, runs and decodes, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput

SLIDING, FULL = "hybrid_sliding", "hybrid"
SMALL = {
    "vocab_size": 99, "hidden_size": 48, "num_hidden_layers": 4, "num_attention_heads": 6,
    "num_key_value_heads": 2, "head_dim": 8, "swa_num_attention_heads": 4,
    "swa_num_key_value_heads": 4, "swa_head_dim": 10, "sliding_window_size": 5, "d_rel": 3,
    "rel_extent": 7, "conv_kernel_size": 3, "layer_types": [SLIDING, FULL, SLIDING, FULL],
    "mlp_layer_types": ["dense", "sparse", "sparse", "dense"], "intermediate_size": 40,
    "moe_intermediate_size": 12, "n_routed_experts": 5, "num_experts_per_tok": 2,
    "n_shared_experts": 3,
}  # fmt: skip
OLDER = {
    **{name: value for name, value in SMALL.items()
       if name not in ("mlp_layer_types", "layer_types", "moe_intermediate_size")},
    "local_layer_ids": [0, 2], "dense_mlp_idx": 2, "intermediate_size": 12,
    "dense_intermediate_size": 40,
}  # fmt: skip
BUILT = 82_420
"""Parameters of InklingForCausalLM of SMALL: transformers 5.23.0, torch 2.13.0."""
RUN = {(1, 3): (415_896, 139_848), (2, 5): (1_390_672, 282_512), (2, 6): (1_674_336, 283_280),
       (3, 20): (8_911_968, 441_048)}  # fmt: skip
"""What FlopCounterMode counts there of a sequence, and of its last token after all others with a
DynamicCache, attention and experts operation by operation, by batch and length."""


def account(tmp_path, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "inkling_text", **keys}), "utf-8")
    return derive(str(path))


@pytest.mark.parametrize("sizes", RUN)
def test_distances_and_convolutions_are_counted_as_they_are_run(sizes, tmp_path):
    found = account(tmp_path, **SMALL)
    B, T = sizes
    at = found.subs(B=B, T=T)
    assert found.params.value == BUILT
    assert (at.flops_forward.value, at.flops_decode.value) == RUN[sizes]


def test_older_files_say_the_same_in_other_words(tmp_path):
    """Where the first layers are dense, as many as before have a network."""
    assert account(tmp_path, **OLDER).params.value == BUILT


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"layer_types": ["sliding_attention"] * 4}, "layer_types"),
        ({"layer_types": [FULL]}, "does not name the kinds of 4 layers"),
        ({"layer_types": None, "local_layer_ids": "all"}, "no list of numbers of layers"),
        ({"mlp_layer_types": None, "dense_mlp_idx": -1}, "dense_mlp_idx"),
        ({"sliding_window_size": None}, "sliding_window_size"),
        ({"conv_kernel_size": 1}, "conv_kernel_size"),
        ({"n_shared_experts": 0}, "n_shared_experts"),
        ({"number_of_conv_states": 2}, "number_of_conv_states"),
        ({"mtp_config": {}}, "mtp_config"),
    ],
)
def test_what_is_not_derived_is_refused_by_name(keys, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, **{**SMALL, **keys})
