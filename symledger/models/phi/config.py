"""Phi-1, Phi-1.5 and Phi-2."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings
from symledger.config_keys.decoder_keys import (
    ACTIVATION,
    HEADS,
    WIDTHS,
    affine,
    floored,
    floored_width,
    heads,
    turned,
)
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput

ROPE = ("partial_rotary_factor", "rope_parameters", "rope_scaling")


def _turned(values: Values) -> Settings:
    width = floored_width(values)
    if values["qk_layernorm"] and width != values["hidden_size"] // values["num_attention_heads"]:
        raise BadInput(
            f"head_dim = {width} does not fit qk_layernorm, whose norms are as wide as the "
            "hidden_size divided by the heads."
        )
    found = turned(values, "partial_rotary_factor", 0.5, width, whole=False)
    return {**floored(values), **found}


CLASSES: dict[str, Built] = {
    name: built for name, built in heads("phi", "Phi").items() if "Question" not in name
}

PHI = Family(
    "phi",
    CLASSES,
    {
        **WIDTHS,
        "hidden_act": ACTIVATION,
        "qk_layernorm": Choice("qk_norm", BOOLS),
        **dict.fromkeys(ROPE, Ruled()),
    },
    rules=(Rule(("hidden_size", "num_attention_heads", "head_dim", "qk_layernorm"), _turned),),
    tensors={
        "model.embed_tokens.weight": ("token_embedding.E",),
        **affine("model.", {
            "layers.*.input_layernorm": "block.norm_1",
            **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKV"},
            "layers.*.self_attn.dense": "block.attention.O",
            "layers.*.self_attn.q_layernorm": "block.attention.norm_Q",
            "layers.*.self_attn.k_layernorm": "block.attention.norm_K",
            "layers.*.mlp.fc1": "block.feed_forward.1",
            "layers.*.mlp.fc2": "block.feed_forward.2",
            "final_layernorm": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip
