"""StableLM: LLaMA's keys, other blocks."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ACTIVATION, AFFINE, WIDTHS, head_width, heads, turned
from symledger.config_keys.family import Family, Rule, Ruled, Values

ROPE = ("partial_rotary_factor", "rope_parameters", "rope_scaling")


def _turned(values: Values) -> Settings:
    return turned(values, "partial_rotary_factor", 0.25, head_width(values), whole=False)


STABLELM = Family(
    "stablelm",
    {
        name: built for name, built in heads("stablelm", "StableLm").items()
        if "Question" not in name
    },
    {
        **{name: use for name, use in WIDTHS.items() if name != "head_dim"},
        "num_key_value_heads": SizeOf("h_kv"),
        "hidden_act": ACTIVATION,
        "use_qkv_bias": Choice("bias", BOOLS),
        "qk_layernorm": Choice("qk_norm", BOOLS),
        "use_parallel_residual": Choice("parallel", BOOLS),
        "use_norm_bias": FREE,
        "rotary_scaling_factor": FREE,
        **dict.fromkeys(ROPE, Ruled()),
    },
    rules=(Rule(("hidden_size", "num_attention_heads"), _turned),),
    tensors=AFFINE,
)  # fmt: skip
