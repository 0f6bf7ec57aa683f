"""Every family that can be read, in editorial order: one concept a file, one row a model_type."""

from __future__ import annotations

from symledger.configurations.families import (
    gemma,
    gpt2,
    llama,
    mistral,
    mixtral,
    olmo2,
    phi3,
    qwen,
)
from symledger.configurations.family import Family

FAMILIES: tuple[Family, ...] = (
    gpt2.GPT2,
    llama.LLAMA, mistral.MISTRAL, mixtral.MIXTRAL,
    qwen.QWEN2, qwen.QWEN3, qwen.QWEN2_MOE, qwen.QWEN3_MOE,
    gemma.GEMMA, gemma.GEMMA2, gemma.GEMMA3,
    phi3.PHI3, olmo2.OLMO2,
)  # fmt: skip
