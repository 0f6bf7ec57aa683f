"""Falcon-H1: LLaMA's keys, those of Mamba-2's mixers, and numbers that scale what is given."""

from __future__ import annotations

from symledger.arguments.specs import Number, Settings, among, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import BIASES, FLOORED
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.mamba_hybrid_keys import KEYS, TENSORS, heads
from symledger.errors import BadInput


def _channels(values: Values) -> tuple[str, int]:
    """Return how many channels a mixer has: a key says so, or it is a multiple of the width."""
    if values["mamba_d_ssm"] is not None:
        return "mamba_d_ssm", size("mamba_d_ssm", values["mamba_d_ssm"])
    expand = size("mamba_expand", values["mamba_expand"])
    return "mamba_expand times hidden_size", expand * size("hidden_size", values["hidden_size"])


def _norm(values: Values) -> Settings:
    """Say where a mixer normalizes, if it does."""
    there, first = (among(name, values[name], (True, False)) for name in (
        "mamba_rms_norm", "mamba_norm_before_gate"))  # fmt: skip
    return {"norm": ("first" if first else "last") if there else "none"}


def _biases(values: Values) -> Settings:
    """Refuse a mixer one of whose maps has a bias, and the other none."""
    entering, leaving = (among(name, values[name], (True, False)) for name in (
        "mamba_proj_bias", "projectors_bias"))  # fmt: skip
    if entering != leaving:
        raise BadInput(
            f"projectors_bias = {str(leaving).lower()} with mamba_proj_bias = "
            f"{str(entering).lower()} is not derived: the map into a mixer and the one out of it "
            "have a bias both, or neither. Give both the same value."
        )
    return {}


FALCON_H1 = Family(
    "falcon_h1",
    classes("falcon_h1", "FalconH1"),
    {
        **KEYS, **BIASES,
        **dict.fromkeys((
            "lm_head_multiplier", "embedding_multiplier", "key_multiplier",
            "attention_out_multiplier", "attention_in_multiplier", "ssm_in_multiplier",
            "ssm_out_multiplier",
        ), Number()),
        **dict.fromkeys(("mlp_multipliers", "ssm_multipliers"), FREE),
        **dict.fromkeys((
            "mamba_d_ssm", "mamba_rms_norm", "mamba_norm_before_gate", "projectors_bias",
        ), Ruled()),
        **dict.fromkeys(("mamba_use_mlp", "mlp_expansion_factor", "attn_layer_indices"), FREE),
    },
    (FLOORED, heads(_channels), Rule((), _norm), Rule(("mamba_proj_bias",), _biases)),
    TENSORS,
)  # fmt: skip
