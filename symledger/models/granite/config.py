"""Granite and HyperCLOVA X: LLaMA's keys, and numbers that scale what is given."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Number, Settings, Use, written
from symledger.config_keys.decoder_keys import (
    BIASES,
    DENSE,
    DIVIDED,
    FLOORED,
    LLAMA_KEYS,
    heads,
    kinds,
    layers,
)
from symledger.config_keys.family import Family, Rule, Ruled, Unless, Values
from symledger.config_keys.window_keys import LISTED, all_but_first_of, windows
from symledger.errors import BadInput, shown

SCALES: dict[str, Use] = dict.fromkeys(
    ("embedding_multiplier", "logits_scaling", "residual_multiplier", "attention_multiplier"),
    Number(),
)
KEYS = {**LLAMA_KEYS, **BIASES, **SCALES}

GRANITE = Family(
    "granite",
    heads("granite", "Granite", tokens=False, spans=False, sequences=False),
    KEYS,
    (FLOORED,),
    DENSE,
)


def _turned(values: Values) -> Settings:
    """Refuse layers that are told no positions (a base of 0): which have a window is not said."""
    bases = values.get("layer_rope_theta")
    if bases is None:
        return {}
    whole = isinstance(bases, list) and len(bases) == layers(values)
    if not whole or not all(type(base) in (int, float) and base >= 0 for base in bases):
        raise BadInput(
            f"layer_rope_theta = {shown(written(bases))} is no number for each of "
            f"{layers(values)} layers."
        )
    if 0 in bases:
        raise BadInput(
            f"layer_rope_theta = 0 in {bases.count(0)} layers, which are told no positions, is not "
            "derived: which of them have a window as well. Leave it out."
        )
    return {}


GRANITE_SWA = Family(
    "granite_swa",
    heads("granite_swa", "GraniteSWA", tokens=False, spans=False, sequences=False),
    {**KEYS, **LISTED, "layer_rope_theta": Ruled()},
    (FLOORED, Rule(("num_hidden_layers",), _turned), *windows(all_but_first_of(4))),
    {**DENSE, **kinds({
        "model.layers.*.self_attn.sinks": ("block.attention.core.sinks",),
    }, "windowed_block")},
)  # fmt: skip

HYPERCLOVAX = Family(
    "hyperclovax",
    heads("hyperclovax", "HyperCLOVAX", tokens=False, spans=False, sequences=False),
    {
        **KEYS,
        "attention_multiplier": Unless(Number()),
        "use_post_norm": Choice("post_norm", BOOLS),
    },
    (DIVIDED,),
    {
        **DENSE,
        "model.layers.*.post_norm1.weight": ("block.norm_2.g",),
        "model.layers.*.post_norm2.weight": ("block.norm_4.g",),
        "model.layers.*.post_attention_layernorm.weight": ("block.norm_3.g", "block.norm_2.g"),
    },
)
