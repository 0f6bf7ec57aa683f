"""Table Transformer: DETR's keys, and tensors of another name."""

from __future__ import annotations

from dataclasses import replace

from symledger.config_keys.encoder_keys import norms
from symledger.config_keys.family import Built
from symledger.models.detr.config import ATTENDED, DETR, QUERIES, around, attended, blocks, seeing

NAMED = {**{said: x for said, x in ATTENDED.items() if x != "O"}, "out_proj": "O"}
ITSELF = attended("self_attn", "attention", NAMED)

TABLE_TRANSFORMER = seeing(replace(
    DETR,
    model_type="table-transformer",
    builds={
        "TableTransformerForObjectDetection": Built(
            "table_transformer", {"head": "boxes"}, labels=True
        ),
        "TableTransformerModel": Built("table_transformer", {"head": "bare"}),
    },
    tensors={
        **around("model.backbone.conv_encoder.model.", "model.backbone.position_embedding."),
        **QUERIES,
        **blocks(
            {"fc1": "feed_forward.1", "fc2": "feed_forward.2"}, ITSELF,
            {**ITSELF, **attended("encoder_attn", "cross_attention", NAMED)},
        ),
        **norms(model__encoder__layernorm="encoder_norm"),
    },
))  # fmt: skip
