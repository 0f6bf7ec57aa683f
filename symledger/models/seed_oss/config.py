"""Seed-OSS: LLaMA's keys, and a bias of each kind of map."""

from __future__ import annotations

from symledger.arguments.specs import Choice
from symledger.config_keys.decoder_keys import DENSE, LLAMA_KEYS, heads
from symledger.config_keys.family import Family

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
