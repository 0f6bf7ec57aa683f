"""Qwen 1.5 to 2.5: LLaMA's keys, and a window that can be switched off."""

from __future__ import annotations

from symledger.arguments.specs import Only
from symledger.config_keys.decoder_keys import DENSE, FLOORED, LLAMA_KEYS, heads
from symledger.config_keys.family import Family
from symledger.config_keys.window_keys import SWITCHED, from_layer_on, windows

QWEN2 = Family(
    "qwen2",
    heads("qwen2", "Qwen2"),
    {**LLAMA_KEYS, "use_mrope": Only((False,)), **SWITCHED},
    (FLOORED, *windows(from_layer_on, switched=True)),
    DENSE,
)
