"""Every family that can be read, in editorial order: one concept a file, one row a model_type."""

from __future__ import annotations

from symledger.configurations.families import deepseek, gpt2, llama, mamba, mixtral
from symledger.configurations.family import Family

FAMILIES: tuple[Family, ...] = (
    gpt2.GPT2, llama.LLAMA, mixtral.MIXTRAL, *deepseek.FAMILIES, *mamba.FAMILIES,
)  # fmt: skip
