"""Nemotron-4 and Minitron, Jais 2 and Persimmon: LLaMA's keys, layer norms, a plain network."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    ACTIVATION,
    BIASES,
    DIVIDED,
    HEADS,
    QKV,
    WIDTHS,
    affine,
    head_width,
    heads,
    share,
    turned,
)
from symledger.config_keys.family import Family, Rule, Ruled, Values

ROPE = dict.fromkeys(("partial_rotary_factor", "rope_parameters", "rope_scaling"), Ruled())
KEYS = {**WIDTHS, "hidden_act": ACTIVATION, "attention_dropout": FREE}
TENSORS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    **affine("model.", {
        "layers.*.input_layernorm": "block.norm_1",
        "layers.*.post_attention_layernorm": "block.norm_2",
        **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKVO"},
        "layers.*.mlp.up_proj": "block.feed_forward.1",
        "layers.*.mlp.down_proj": "block.feed_forward.2",
        "norm": "final_norm",
    }),
    **HEADS,
}  # fmt: skip

NEMOTRON = Family(
    "nemotron",
    heads("nemotron", "Nemotron"),
    {**KEYS, **BIASES, **ROPE, "num_key_value_heads": SizeOf("h_kv")},
    (share(0.5),),
    {**TENSORS, **{name.replace("model.", "transformer.", 1): ours
                   for name, ours in TENSORS.items()}},
)  # fmt: skip

JAIS2 = Family(
    "jais2",
    heads("nemotron", "Jais2", tokens=False, spans=False, sequences=False),
    {**KEYS, **BIASES},
    (DIVIDED,),
    TENSORS,
    {"partly": "false"},
)


def _turned(values: Values) -> Settings:
    return turned(values, "partial_rotary_factor", 0.5, head_width(values), whole=False)


PERSIMMON = Family(
    "persimmon",
    heads("nemotron", "Persimmon", spans=False),
    {
        **{name: use for name, use in KEYS.items()
           if name not in ("num_key_value_heads", "head_dim")},
        **ROPE,
        "qk_layernorm": Choice("qk_norm", BOOLS),
        "hidden_dropout": FREE,
    },
    (Rule(("hidden_size", "num_attention_heads"), _turned),),
    {
        **TENSORS,
        **affine("model.", {
            "layers.*.self_attn.query_key_value": QKV,
            "layers.*.self_attn.dense": "block.attention.O",
            "layers.*.self_attn.q_layernorm": "block.attention.norm_Q",
            "layers.*.self_attn.k_layernorm": "block.attention.norm_K",
            "layers.*.mlp.dense_h_to_4h": "block.feed_forward.1",
            "layers.*.mlp.dense_4h_to_h": "block.feed_forward.2",
            "final_layernorm": "final_norm",
        }),
    },
    {"attention_bias": "true", "mlp_bias": "true"},
)  # fmt: skip
