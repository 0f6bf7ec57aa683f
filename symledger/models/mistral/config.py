"""Mistral: LLaMA's keys, and a window; Ministral and CWM, which list the layers that have one."""

from __future__ import annotations

from symledger.arguments.specs import Only, SizeOf
from symledger.config_keys.decoder_keys import DENSE, DIVIDED, FLOORED, LLAMA_KEYS, heads
from symledger.config_keys.family import Family
from symledger.config_keys.window_keys import LISTED, ONE, all_but_first_of, all_of_them, windows

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

MINISTRAL3 = Family(
    "ministral3",
    heads("mistral", "Ministral3"),
    {**LLAMA_KEYS, **ONE, "num_key_value_heads": SizeOf("h_kv")},
    (FLOORED, *windows()),
    DENSE,
)
"""Its queries grow with their position, by numbers that are no parameters."""

CWM = Family(
    "cwm",
    heads("mistral", "Cwm", tokens=False, spans=False, sequences=False),
    {**LLAMA_KEYS, **LISTED, "mlp_bias": Only((False,))},
    (DIVIDED, *windows(all_but_first_of(4))),
    DENSE,
)
