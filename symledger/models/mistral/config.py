"""Mistral: LLaMA's keys, and a window; Ministral, which lists the layers that have one."""

from __future__ import annotations

from symledger.arguments.specs import SizeOf
from symledger.config_keys.decoder_keys import DENSE, FLOORED, LLAMA_KEYS, heads
from symledger.config_keys.family import Family
from symledger.config_keys.window_keys import LISTED, ONE, all_of_them, windows

MISTRAL = Family(
    "mistral",
    heads("mistral", "Mistral"),
    {**LLAMA_KEYS, **ONE},
    (FLOORED, *windows()),
    DENSE,
)

MINISTRAL = Family(
    "ministral",
    heads("mistral", "Ministral"),
    {**LLAMA_KEYS, "head_dim": SizeOf("d_h"), **LISTED},
    windows(all_of_them, asked=True),
    DENSE,
)
