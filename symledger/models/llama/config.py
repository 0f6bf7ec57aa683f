"""LLaMA, and the models that are published as one (Vicuna, TinyLlama, SmolLM, Yi …)."""

from __future__ import annotations

from symledger.catalogue.argument_specs import Choice
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, DIVIDED, GATE, WIDTHS, heads
from symledger.config_keys.family import Family

LLAMA = Family(
    "llama",
    heads("llama", "Llama"),
    {
        **WIDTHS,
        "hidden_act": GATE,
        "attention_bias": Choice("attention_bias"),
        "mlp_bias": Choice("mlp_bias"),
        **dict.fromkeys(("attention_dropout", "is_llama_config", "max_sequence_length"), FREE),
    },
    (DIVIDED,),
    DENSE,
)
