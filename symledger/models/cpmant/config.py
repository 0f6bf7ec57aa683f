"""CPM-Ant: its prompts, segments and buckets, under names of its own."""

from __future__ import annotations

from symledger.arguments.specs import Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.family import AtLeast, Built, Context, Family, Rule, Values
from symledger.errors import BadInput

FEWEST = 3
"""A prompt is that of task 2, and tokens are of segment 2 (transformers 5.23, ``CpmAntModel``)."""


def _far(values: Values) -> Settings:
    """Refuse distances of which none would grow geometrically: the class divides by a logarithm."""
    name = "position_bias_max_distance"
    buckets = size("position_bias_num_buckets", values["position_bias_num_buckets"])
    most, exact = size(name, values[name]), buckets // 4
    if most <= exact:
        raise BadInput(
            f"{name} = {most} does not fit position_bias_num_buckets = {buckets}: {exact} "
            f"distances have a bucket each, so the longest has to be above {exact}."
        )
    return {}


LAYER = "cpmant.encoder.layers.*."
ATTENTION, NETWORK = f"{LAYER}self_att.", f"{LAYER}ffn."
WHOLE = {
    "cpmant.input_embedding.weight": ("E",),
    "cpmant.segment_embedding.weight": ("E_seg",),
    "cpmant.position_bias.relative_attention_bias": ("R",),
    f"{ATTENTION}layernorm_before_attention.weight": ("block.norm_1.g",),
    **{f"{ATTENTION}self_attention.{theirs}.weight": (f"block.attention.{ours}.W",)
       for theirs, ours in (("project_q", "Q"), ("project_k", "K"), ("project_v", "V"),
                            ("attention_out", "O"))},
    f"{NETWORK}layernorm_before_ffn.weight": ("block.norm_2.g",),
    **{f"{NETWORK}ffn.{theirs}.weight": (f"block.feed_forward.{ours}.W",)
       for theirs, ours in (("w_in.w_0", "gate"), ("w_in.w_1", "up"), ("w_out", "down"))},
    "cpmant.encoder.output_layernorm.weight": ("final_norm.g",),
}  # fmt: skip

CPMANT = Family(
    "cpmant",
    {"CpmAntForCausalLM": Built("cpmant", {"head": "lm"}),
     "CpmAntModel": Built("cpmant", {"head": "bare"})},
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "num_attention_heads": SizeOf("h"),
        "dim_head": SizeOf("d_h"),
        "dim_ff": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "position_bias_num_buckets": AtLeast("n_b", least=4),
        "position_bias_max_distance": Context(),
        "prompt_types": AtLeast("N_prm", least=FEWEST),
        "prompt_length": SizeOf("T_prm"),
        "segment_types": AtLeast("V_seg", least=FEWEST),
        **dict.fromkeys(("dropout_p", "eps", "tie_word_embeddings"), FREE),
    },
    (Rule(("position_bias_num_buckets", "position_bias_max_distance"), _far),),
    {
        **WHOLE, **{name.removeprefix("cpmant."): ours for name, ours in WHOLE.items()},
        "lm_head.weight": ("head.W",),
    },
)  # fmt: skip
"""The head is never tied, whatever is said: the class ties nothing."""
