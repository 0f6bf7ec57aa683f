"""OLMo 2."""

from __future__ import annotations

from symledger.arguments import Choice, Only
from symledger.configurations.common import FREE
from symledger.configurations.families.shared import DENSE, WIDTHS, heads
from symledger.configurations.family import Family

OLMO2 = Family(
    "olmo2",
    heads("olmo2", "Olmo2", tokens=False, spans=False),
    {
        **WIDTHS,
        "hidden_act": Only(("silu",)),
        "attention_bias": Choice("attention_bias"),
        "attention_dropout": FREE,
    },
    tensors={
        **DENSE,
        "model.layers.*.post_attention_layernorm.weight": ("block.norm_1.g",),
        "model.layers.*.post_feedforward_layernorm.weight": ("block.norm_2.g",),
    },
)
