"""Seed-OSS: LLaMA's keys, and a bias of each kind of map; Helium, whose last map has none."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf
from symledger.config_keys.decoder_keys import DENSE, LLAMA_KEYS, heads
from symledger.config_keys.family import Family, Rule, Values
from symledger.errors import BadInput

SEED_OSS = Family(
    "seed_oss",
    heads("seed_oss", "SeedOss"),
    {
        **LLAMA_KEYS,
        "attention_bias": Choice("qkv_bias"),
        "attention_out_bias": Choice("output_bias"),
        "mlp_bias": Choice("mlp_bias"),
    },
    (),
    DENSE,
)


def _as_wide(values: Values) -> Settings:
    """Refuse heads that are not as wide together as the model: the class maps d back to d."""
    d, h, d_h = (values[x] for x in ("hidden_size", "num_attention_heads", "head_dim"))
    if h * d_h != d:
        raise BadInput(
            f"head_dim = {d_h} does not fit: {h} heads of it are {h * d_h} wide, and the class "
            f"maps hidden_size = {d} back to {d}."
        )
    return {}


HELIUM = Family(
    "helium",
    heads("seed_oss", "Helium", spans=False),
    {
        **LLAMA_KEYS,
        "num_key_value_heads": SizeOf("h_kv"),
        "head_dim": SizeOf("d_h"),
        "attention_bias": Choice("qkv_bias", BOOLS),
        "mlp_bias": Choice("mlp_bias"),
    },
    (Rule(("hidden_size", "num_attention_heads", "head_dim"), _as_wide),),
    DENSE,
    {"output_bias": "false"},
)
