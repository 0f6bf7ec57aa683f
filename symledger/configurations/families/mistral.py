"""Mistral: LLaMA's keys, and a window."""

from __future__ import annotations

from symledger.arguments import Only
from symledger.configurations.common import FREE
from symledger.configurations.families.shared import DENSE, WIDTHS, heads
from symledger.configurations.families.windows import ONE, windows
from symledger.configurations.family import Family

MISTRAL = Family(
    "mistral",
    heads("mistral", "Mistral"),
    {
        **WIDTHS,
        "hidden_act": Only(("silu", "swish")),
        "attention_dropout": FREE,
        **ONE,
    },
    windows(),
    DENSE,
)
