"""Granite: LLaMA's keys, and numbers that scale what is given."""

from __future__ import annotations

from symledger.arguments.specs import Number
from symledger.config_keys.decoder_keys import BIASES, DENSE, FLOORED, LLAMA_KEYS, heads
from symledger.config_keys.family import Family

GRANITE = Family(
    "granite",
    heads("granite", "Granite", tokens=False, spans=False, sequences=False),
    {
        **LLAMA_KEYS,
        **BIASES,
        **dict.fromkeys((
            "embedding_multiplier", "logits_scaling", "residual_multiplier",
            "attention_multiplier",
        ), Number()),
    },
    (FLOORED,),
    DENSE,
)  # fmt: skip
