"""Phi-3 and Phi-4, and their variants for long texts."""

from __future__ import annotations

from symledger.arguments.specs import Only
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, GATE, WIDTHS, heads, share
from symledger.config_keys.family import Family, Ruled
from symledger.config_keys.window_keys import ONE, windows

PHI3 = Family(
    "phi3",
    heads("phi3", "Phi3", spans=False),
    {
        **WIDTHS,
        "hidden_act": GATE,
        "attention_dropout": FREE,
        **dict.fromkeys(("attention_bias", "mlp_bias", "lm_head_bias"), Only((False,))),
        "full_attn_mod": Only((1,)),
        "interpolate_factor": FREE,
        "original_max_position_embeddings": FREE,
        **ONE,
        "partial_rotary_factor": Ruled(),
        "rope_scaling": Ruled(),
        "rope_parameters": Ruled(),
    },
    (*windows(), share(1.0)),
    {
        **{name: ours for name, ours in DENSE.items() if "_proj." not in name},
        "model.layers.*.self_attn.qkv_proj.weight": tuple(
            ours for x in "qkv" for ours in DENSE[f"model.layers.*.self_attn.{x}_proj.weight"]
        ),
        "model.layers.*.self_attn.o_proj.weight": DENSE["model.layers.*.self_attn.o_proj.weight"],
        "model.layers.*.mlp.gate_up_proj.weight": tuple(
            ours for x in ("gate", "up") for ours in DENSE[f"model.layers.*.mlp.{x}_proj.weight"]
        ),
        "model.layers.*.mlp.down_proj.weight": DENSE["model.layers.*.mlp.down_proj.weight"],
    },
)
