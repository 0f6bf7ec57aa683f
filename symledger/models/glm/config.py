"""GLM-4."""

from __future__ import annotations

from symledger.arguments.specs import Choice, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, GATE, WIDTHS, heads, share
from symledger.config_keys.family import Family, Ruled

KEYS = {
    **WIDTHS,
    "hidden_act": GATE,
    "attention_bias": Choice("qkv_bias"),
    "attention_dropout": FREE,
    "partial_rotary_factor": Ruled(),
    "rope_scaling": Ruled(),
    "rope_parameters": Ruled(),
}
RULES = (share(0.5),)
TENSORS = {
    **DENSE,
    "model.layers.*.mlp.gate_up_proj.weight": (
        "block.feed_forward.gate.W", "block.feed_forward.up.W",
    ),
}  # fmt: skip
NORMS = {
    f"model.layers.*.{name}.weight": (f"block.norm_{i + 1}.g",)
    for i, name in enumerate((
        "input_layernorm", "post_self_attn_layernorm",
        "post_attention_layernorm", "post_mlp_layernorm",
    ))
}  # fmt: skip

GLM = Family(
    "glm",
    heads("glm", "Glm", spans=False),
    {**KEYS, "num_key_value_heads": SizeOf("h_kv"), "head_dim": SizeOf("d_h")},
    RULES,
    TENSORS,
)

GLM4 = Family("glm4", heads("glm4", "Glm4", spans=False), KEYS, RULES, {**TENSORS, **NORMS})
