"""XGLM and CTRL."""

from __future__ import annotations

from symledger.arguments.specs import SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ACTIVATION, HEADS, TIED, affine
from symledger.config_keys.family import Built, Context, Family

XGLM = Family(
    "xglm",
    {"XGLMForCausalLM": Built("xglm", {"head": "lm"}),
     "XGLMModel": Built("xglm", {"head": "bare"})},
    {
        "vocab_size": SizeOf("V"),
        "d_model": SizeOf("d"),
        "ffn_dim": SizeOf("d_ff"),
        "num_layers": SizeOf("L"),
        "attention_heads": SizeOf("h"),
        "max_position_embeddings": Context(),
        "activation_function": ACTIVATION,
        "scale_embedding": FREE,
        "tie_word_embeddings": TIED,
    },
    (),
    {
        "model.embed_tokens.weight": ("token_embedding.E",),
        **affine("model.", {
            **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKV"},
            "layers.*.self_attn.out_proj": "block.attention.O",
            "layers.*.self_attn_layer_norm": "block.norm_1",
            "layers.*.fc1": "block.feed_forward.1",
            "layers.*.fc2": "block.feed_forward.2",
            "layers.*.final_layer_norm": "block.norm_2",
            "layer_norm": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip

CTRL = Family(
    "ctrl",
    {"CTRLLMHeadModel": Built("ctrl", {"head": "lm"}),
     "CTRLModel": Built("ctrl", {"head": "bare"})},
    {
        "vocab_size": SizeOf("V"),
        "n_embd": SizeOf("d"),
        "dff": SizeOf("d_ff"),
        "n_layer": SizeOf("L"),
        "n_head": SizeOf("h"),
        "n_positions": Context(),
        "tie_word_embeddings": TIED,
    },
    (),
    {
        "transformer.w.weight": ("token_embedding.E",),
        "transformer.h.*.ffn.*.weight": ("block.feed_forward.1.W", "block.feed_forward.2.W"),
        "transformer.h.*.ffn.*.bias": ("block.feed_forward.1.b", "block.feed_forward.2.b"),
        **affine("transformer.", {
            **{f"h.*.multi_head_attention.W{x.lower()}": f"block.attention.{x}" for x in "QKV"},
            "h.*.multi_head_attention.dense": "block.attention.O",
            "h.*.layernorm1": "block.norm_1",
            "h.*.layernorm2": "block.norm_2",
            "layernorm": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip
