"""Qwen3: Qwen2's keys, and biases; HunYuan in other words."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Choice, Only, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, LLAMA_KEYS, heads
from symledger.config_keys.family import Built, Family
from symledger.config_keys.window_keys import SWITCHED, from_layer_on, windows

QWEN3 = Family(
    "qwen3",
    heads("qwen3", "Qwen3"),
    {
        **LLAMA_KEYS,
        "use_mrope": Only((False,)),
        **SWITCHED,
        "attention_bias": Choice("attention_bias"),
    },
    windows(from_layer_on, switched=True),
    DENSE,
)

QWEN3_VL = Family(
    "qwen3_vl_text",
    {"Qwen3VLTextModel": Built("qwen3", {"head": "bare"})},
    {**LLAMA_KEYS, "head_dim": SizeOf("d_h"), "attention_bias": Choice("attention_bias")},
    (),
    DENSE,
)

HUNYUAN = Family(
    "hunyuan_v1_dense",
    heads("qwen3", "HunYuanDenseV1", tokens=False, spans=False),
    {
        **LLAMA_KEYS,
        "head_dim": SizeOf("d_h"),
        "attention_bias": Choice("attention_bias"),
        "norm_type": Only(("rms",)),
        **dict.fromkeys(("use_qk_norm", "use_rotary_pos_emb"), Only((True,))),
        **dict.fromkeys(
            ("mlp_bias", "use_cla", "add_classification_head", "position_embedding_xdrope"),
            Only((False,)),
        ),
        **dict.fromkeys((
            "attention_head_dim", "cla_share_factor", "class_num", "dense_list", "org_vocab_size",
            "im_end_id", "im_newline_id", "im_start_id", "mask_init_id", "max_loss_tokens",
            "pool_type", "text_end_id", "text_start_id", "vit_mapping_type",
        ), FREE),
    },
    (),
    {
        **DENSE,
        "model.layers.*.self_attn.query_layernorm.weight": ("block.attention.norm_Q.g",),
        "model.layers.*.self_attn.key_layernorm.weight": ("block.attention.norm_K.g",),
    },
)  # fmt: skip
"""Its norms come after the turning by positions, which is counted the same."""
HUNYUAN_VL = replace(
    HUNYUAN, model_type="hunyuan_vl_text",
    builds={"HunYuanVLTextModel": Built("qwen3", {"head": "bare"})},
    uses={**HUNYUAN.uses, "sep_token_id": FREE, "eod_token_id": FREE},
)  # fmt: skip
