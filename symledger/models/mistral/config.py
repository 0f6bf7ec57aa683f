"""Mistral: LLaMA's keys, and a window."""

from __future__ import annotations

from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, GATE, WIDTHS, heads
from symledger.config_keys.family import Family
from symledger.config_keys.window_keys import ONE, windows

MISTRAL = Family(
    "mistral",
    heads("mistral", "Mistral"),
    {
        **WIDTHS,
        "hidden_act": GATE,
        "attention_dropout": FREE,
        **ONE,
    },
    windows(),
    DENSE,
)
