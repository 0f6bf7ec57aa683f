"""DiffLlama: LLaMA's keys, and heads in pairs."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Only, Settings
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, FLOORED, LLAMA_KEYS, heads, kinds
from symledger.config_keys.family import Family, Rule, Values
from symledger.errors import BadInput


def _paired(values: Values) -> Settings:
    """Refuse heads of keys and values that make no pairs."""
    number = values["num_key_value_heads"]
    number = values["num_attention_heads"] if number is None else number
    if number % 2:
        raise BadInput(
            f"num_key_value_heads = {number} does not fit: values of two heads stand side by side, "
            "so an even number is needed."
        )
    return {}


DIFFLLAMA = Family(
    "diffllama",
    heads("diffllama", "DiffLlama"),
    {
        **LLAMA_KEYS,
        "attention_bias": Choice("attention_bias", BOOLS),
        "attention_dropout": Only((0, 0.0, None), "the class takes none"),
        "lambda_std_dev": FREE,
    },
    (FLOORED, Rule(("num_attention_heads", "num_key_value_heads"), _paired)),
    kinds({
        **DENSE,
        **{f"model.layers.*.self_attn.lambda_{x}": (f"block.attention.core.λ_{x}",)
           for x in ("q1", "k1", "q2", "k2")},
    }),
)  # fmt: skip
