"""Mistral: LLaMA's keys, and a window."""

from __future__ import annotations

from symledger.configurations.common import FREE
from symledger.configurations.families.shared import DENSE, GATE, WIDTHS, heads
from symledger.configurations.families.windows import ONE, windows
from symledger.configurations.family import Family

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
