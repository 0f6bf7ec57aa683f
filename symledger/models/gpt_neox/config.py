"""GPT-NeoX, and Pythia in its words."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings
from symledger.config_keys.decoder_keys import (
    ACTIVATION,
    HEADS,
    QKV,
    WIDTHS,
    affine,
    head_width,
    heads,
    turned,
)
from symledger.config_keys.family import Family, Rule, Ruled, Values

NOT_HERE = ("head_dim", "num_key_value_heads")
ROPE = ("rotary_pct", "rope_parameters", "rope_scaling")


def _turned(values: Values) -> Settings:
    return turned(values, "rotary_pct", 0.25, head_width(values))


GPT_NEOX = Family(
    "gpt_neox",
    heads("gpt_neox", "GPTNeoX"),
    {
        **{name: use for name, use in WIDTHS.items() if name not in NOT_HERE},
        "hidden_act": ACTIVATION,
        "use_parallel_residual": Choice("parallel", BOOLS),
        "attention_bias": Choice("attention_bias", BOOLS),
        **dict.fromkeys(ROPE, Ruled()),
    },
    rules=(Rule(("hidden_size", "num_attention_heads"), _turned),),
    tensors={
        "gpt_neox.embed_in.weight": ("token_embedding.E",),
        **affine("gpt_neox.", {
            "layers.*.input_layernorm": "block.norm_1",
            "layers.*.post_attention_layernorm": "block.norm_2",
            "layers.*.attention.query_key_value": QKV,
            "layers.*.attention.dense": "block.attention.O",
            "layers.*.mlp.dense_h_to_4h": "block.feed_forward.1",
            "layers.*.mlp.dense_4h_to_h": "block.feed_forward.2",
            "final_layer_norm": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip
