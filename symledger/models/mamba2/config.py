"""Mamba-2: Mamba's keys, and heads."""

from __future__ import annotations

from collections.abc import Callable

from symledger.arguments.specs import Only, Remark, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.config_keys.state_space_keys import (
    LAYER,
    LENGTH,
    TENSORS,
    USES,
    Limits,
    inner,
    looking_back,
    maps,
)
from symledger.errors import BadInput


def heads(values: Values) -> Settings:
    """Refuse what cannot be built: heads that are not as wide together as the channels."""
    h, d_h = (size(name, values[name]) for name in ("num_heads", "head_dim"))
    if inner(values) != h * d_h:
        raise BadInput(
            f"num_heads = {h} times head_dim = {d_h} is not expand times hidden_size = "
            f"{inner(values)}: no such model can be built."
        )
    return {}


def _alone(name: str) -> Callable[[Values], Remark | None]:
    """Remark on sums over one element, which are counted here as sums of any length are."""

    def said(values: Values) -> Remark | None:
        return Remark("sums_over_one") if values[name] == 1 else None

    return said


REMARKS = {name: _alone(name) for name in ("state_size", "chunk_size")}

MAMBA2 = Family(
    "mamba2",
    {"Mamba2ForCausalLM": Built("mamba2", {"head": "lm"}, remarks=REMARKS),
     "Mamba2Model": Built("mamba2", {"head": "bare"}, remarks=REMARKS)},
    {
        **USES,
        "num_heads": SizeOf("h"),
        "head_dim": SizeOf("d_h"),
        "n_groups": SizeOf("G"),
        "chunk_size": SizeOf("Q"),
        "time_step_rank": FREE,
        "time_step_limit": Limits(),
        "norm_before_gate": Only((False,)),
        "rmsnorm": Only((True,)),
    },
    (Rule(("hidden_size", "expand", "num_heads", "head_dim"), heads), Rule((), looking_back)),
    {
        **TENSORS, **maps("in_proj", "out_proj"),
        f"{LAYER}mixer.dt_bias": ("block.mixer.scan.dt_bias",),
        f"{LAYER}mixer.norm.weight": ("block.mixer.g",),
    },
    LENGTH,
)  # fmt: skip
