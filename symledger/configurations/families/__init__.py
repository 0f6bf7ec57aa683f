"""Every family that can be read, in editorial order: one concept a file, one row a model_type."""

from __future__ import annotations

from symledger.configurations.families import (
    bloom,
    falcon,
    gpt2,
    gpt_neox,
    gptj,
    llama,
    mixtral,
    opt,
    phi,
)
from symledger.configurations.family import Family

FAMILIES: tuple[Family, ...] = (
    gpt2.GPT2, gptj.GPTJ, gpt_neox.GPT_NEOX, opt.OPT, bloom.BLOOM, falcon.FALCON, phi.PHI,
    llama.LLAMA, mixtral.MIXTRAL,
)  # fmt: skip
