"""LLaMA, models that are published as one (Vicuna, Yi …), and ERNIE 4.5 in other words."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    BIASES,
    DENSE,
    DIVIDED,
    GATE,
    LLAMA_KEYS,
    WIDTHS,
    heads,
)
from symledger.config_keys.family import Family

LLAMA = Family(
    "llama",
    heads("llama", "Llama"),
    {
        **WIDTHS,
        "hidden_act": GATE,
        **BIASES,
        **dict.fromkeys(("attention_dropout", "is_llama_config", "max_sequence_length"), FREE),
    },
    (DIVIDED,),
    DENSE,
)

ERNIE = Family(
    "ernie4_5",
    heads("llama", "Ernie4_5", tokens=False, spans=False, sequences=False),
    {
        **LLAMA_KEYS,
        "use_bias": Choice("attention_bias", BOOLS, ("mlp_bias",)),
        "compression_ratio": FREE,
        "use_flash_attention": FREE,
    },
    (),
    DENSE,
)
