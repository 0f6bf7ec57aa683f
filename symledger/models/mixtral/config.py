"""Mixtral: Mistral's keys, and those of its experts."""

from __future__ import annotations

from symledger.arguments.specs import SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import FLOORED, GATE, SPARSE, WIDTHS, heads
from symledger.config_keys.family import Family
from symledger.config_keys.window_keys import ONE, windows

MIXTRAL = Family(
    "mixtral",
    heads("mixtral", "Mixtral"),
    {
        **WIDTHS,
        "hidden_act": GATE,
        "attention_dropout": FREE,
        "num_local_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        "output_router_logits": FREE,
        "router_jitter_noise": FREE,
        **ONE,
    },
    (FLOORED, *windows()),
    SPARSE,
)
