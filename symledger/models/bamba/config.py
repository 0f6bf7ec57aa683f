"""Bamba: LLaMA's keys, those of Mamba-2's mixers, and the numbers of layers that attend."""

from __future__ import annotations

from symledger.arguments.specs import Settings
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import BIASES, layers, share
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import alternating, indexed
from symledger.config_keys.mamba_hybrid_keys import KEYS, TENSORS, heads


def _attending(values: Values) -> Settings:
    """Return how many layers attend: those whose numbers are listed, none unless told."""
    listed = values["attn_layer_indices"]
    return alternating(indexed("attn_layer_indices", listed or [], layers(values)))


BAMBA = Family(
    "bamba",
    classes("bamba", "Bamba"),
    {
        **KEYS, **BIASES,
        "attn_layer_indices": Ruled(),
        "attn_rotary_emb": FREE,
        "z_loss_coefficient": FREE,
    },
    (share(0.5), heads(), Rule(("num_hidden_layers",), _attending)),
    TENSORS,
)  # fmt: skip
