"""LLaMA, and the models that are published as one (Vicuna, TinyLlama, SmolLM, Yi …)."""

from __future__ import annotations

from symledger.arguments import Only
from symledger.configurations.common import FREE
from symledger.configurations.families.shared import HEADS, WIDTHS, heads
from symledger.configurations.family import Family

TENSORS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    "model.layers.*.self_attn.q_proj.weight": ("block.attention.Q.W",),
    "model.layers.*.self_attn.k_proj.weight": ("block.attention.K.W",),
    "model.layers.*.self_attn.v_proj.weight": ("block.attention.V.W",),
    "model.layers.*.self_attn.o_proj.weight": ("block.attention.O.W",),
    "model.layers.*.mlp.gate_proj.weight": ("block.feed_forward.gate.W",),
    "model.layers.*.mlp.up_proj.weight": ("block.feed_forward.up.W",),
    "model.layers.*.mlp.down_proj.weight": ("block.feed_forward.down.W",),
    "model.layers.*.input_layernorm.weight": ("block.norm_1.g",),
    "model.layers.*.post_attention_layernorm.weight": ("block.norm_2.g",),
    "model.norm.weight": ("final_norm.g",),
    **HEADS,
}

LLAMA = Family(
    "llama",
    heads("llama", "Llama"),
    {
        **WIDTHS,
        "hidden_act": Only(("silu",)),
        "attention_bias": Only((False,)),
        "mlp_bias": Only((False,)),
        "attention_dropout": FREE,
    },
    tensors=TENSORS,
)
