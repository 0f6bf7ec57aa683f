"""Mixtral: Mistral's keys, and those of its experts."""

from __future__ import annotations

from symledger.arguments import Size
from symledger.configurations.common import FREE
from symledger.configurations.families.shared import GATE, SPARSE, WIDTHS, heads
from symledger.configurations.families.windows import ONE, windows
from symledger.configurations.family import Family

MIXTRAL = Family(
    "mixtral",
    heads("mixtral", "Mixtral"),
    {
        **WIDTHS,
        "hidden_act": GATE,
        "attention_dropout": FREE,
        "num_local_experts": Size("E"),
        "num_experts_per_tok": Size("k"),
        "output_router_logits": FREE,
        "router_jitter_noise": FREE,
        **ONE,
    },
    windows(),
    SPARSE,
)
