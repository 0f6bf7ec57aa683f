"""StarCoder2: LLaMA's keys, a plain network, and biases."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Only, SizeOf
from symledger.config_keys.decoder_keys import ACTIVATION, FLOORED, HEADS, WIDTHS, affine, heads
from symledger.config_keys.family import Family
from symledger.config_keys.window_keys import ONE, windows

STARCODER2 = Family(
    "starcoder2",
    {
        name: built
        for name, built in heads("starcoder2", "Starcoder2").items()
        if "Question" not in name
    },
    {
        **WIDTHS,
        "num_key_value_heads": SizeOf("h_kv"),
        "hidden_act": ACTIVATION,
        "use_bias": Choice("bias", BOOLS),
        "mlp_type": Only(("default",)),
        "norm_type": Only(("layer_norm",)),
        **ONE,
    },
    rules=(FLOORED, *windows()),
    tensors={
        "model.embed_tokens.weight": ("token_embedding.E",),
        **affine("model.", {
            "layers.*.input_layernorm": "block.norm_1",
            "layers.*.post_attention_layernorm": "block.norm_2",
            **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKVO"},
            "layers.*.mlp.c_fc": "block.feed_forward.1",
            "layers.*.mlp.c_proj": "block.feed_forward.2",
            "norm": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip
