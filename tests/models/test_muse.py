"""Muse Glimmer and Muse Spark: what is counted of their parts, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput

FULL, SLIDING = "full_attention", "sliding_attention"
SMALL = {"vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4,
         "intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 16,
         "sliding_window": 5}  # fmt: skip
SPARK = {"moe_intermediate_size": 12, "num_local_experts": 4, "num_experts_per_tok": 2,
         "moe_hidden_size": 20}  # fmt: skip
TYPES = [("muse_glimmer_text", {}), ("muse_spark_text", SPARK)]


def account(tmp_path, name, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": name, **keys}), "utf-8")
    return derive(str(path))


def test_a_dense_layer_of_spark_has_two_gates_in_place_of_the_weights_of_a_norm(tmp_path):
    """Each of them has d numbers."""
    dense = account(tmp_path, "muse_spark_text", **SMALL, **SPARK, mlp_layer_types=["dense"] * 4)
    plain = account(tmp_path, "muse_glimmer_text", **SMALL)
    d, L = 64, 4
    assert dense.params.value - plain.params.value == L * (2 * d - d)


def test_experts_act_in_a_width_of_their_own(tmp_path):
    mixed = account(tmp_path, "muse_spark_text", **SMALL, **SPARK)
    dense = account(tmp_path, "muse_spark_text", **SMALL, **SPARK, mlp_layer_types=["dense"] * 4)
    d, d_ff, d_l, d_exp, E, L = 64, 48, 20, 12, 4, 4
    layer = d * E + 2 * d * d_l + 2 * d_l + 3 * E * d_l * d_exp
    assert mixed.params.value - dense.params.value == L * (layer - 3 * d * d_ff)


@pytest.mark.parametrize(("name", "more"), TYPES)
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"layer_types": [FULL] * 4}, "does not fit layer_types"),
        ({"layer_rope_theta": [1e4] * 4}, "are told positions"),
        ({"layer_rope_theta": [1e4]}, "no number for each of 4 layers"),
        ({"layer_types": [SLIDING]}, "does not name the kinds of 4 layers"),
        ({"sliding_window": None}, "how long it is is asked for"),
        ({"hidden_size": 66}, "does not divide into num_attention_heads"),
        ({"final_logit_softcapping": 0.0}, "above 0"),
    ],
)
def test_what_is_not_derived_is_refused_by_name(name, more, keys, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, name, **{**SMALL, **more, **keys})
