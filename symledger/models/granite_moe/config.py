"""Granite 3 with experts: LLaMA's keys, and those of experts."""

from __future__ import annotations

from symledger.arguments.specs import Number
from symledger.config_keys.decoder_keys import FLOORED, SPARSE
from symledger.config_keys.expert_keys import BLOCK, LAYER, USES, classes
from symledger.config_keys.family import Family

GRANITE_MOE = Family(
    "granitemoe",
    classes("granite_moe", "GraniteMoe"),
    {
        **USES,
        **dict.fromkeys((
            "embedding_multiplier", "logits_scaling", "residual_multiplier",
            "attention_multiplier",
        ), Number()),
    },
    (FLOORED,),
    tensors={
        **SPARSE,
        f"{LAYER}block_sparse_moe.router.weight": (f"{BLOCK}router.W",),
        f"{LAYER}block_sparse_moe.experts.gate_up_proj": tuple(
            f"{BLOCK}experts.W_{x}" for x in ("gate", "up")),
        f"{LAYER}block_sparse_moe.experts.down_proj": (f"{BLOCK}experts.W_down",),
    },
)  # fmt: skip
