"""Conditional DETR: DETR's keys, and maps of its own."""

from __future__ import annotations

from dataclasses import replace

from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built
from symledger.models.detr.config import DETR, FED, ITSELF, around, attended, blocks, seeing

APART = {
    **{f"{x.lower()}_content_proj": x for x in "QK"},
    **{f"{x.lower()}_pos_proj": f"{x}_where" for x in "QK"},
    "v_proj": "V", "o_proj": "O",
}  # fmt: skip
NEAR = {**APART, "q_pos_sine_proj": "Q_near"}
SCALED = "model.decoder.query_scale.layers.*."

CONDITIONAL_DETR = seeing(replace(
    DETR,
    model_type="conditional_detr",
    builds={
        "ConditionalDetrForObjectDetection": Built(
            "conditional_detr", {"head": "boxes"}, labels=True
        ),
        "ConditionalDetrModel": Built("conditional_detr", {"head": "bare"}),
    },
    uses={
        **{name: use for name, use in DETR.uses.items() if name != "eos_coefficient"},
        **dict.fromkeys(("cls_loss_coefficient", "focal_alpha"), FREE),
    },
    tensors={
        **around("model.backbone.model.", "model.position_embedding."),
        "model.query_position_embeddings.weight": ("Q",),
        **blocks(
            FED, ITSELF,
            {**attended("self_attn", "attention", APART),
             **attended("encoder_attn", "cross_attention", NEAR)},
        ),
        **{f"model.decoder.ref_point_head.layers.*.{said}": tuple(f"place_{i}.{x}" for i in (1, 2))
           for said, x in (("weight", "W"), ("bias", "b"))},
        f"{SCALED}weight": ("W_1", "W_2"), f"{SCALED}bias": ("b_1", "b_2"),
    },
))  # fmt: skip
