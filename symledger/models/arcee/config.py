"""AFM of Arcee, Apertus and nanochat: LLaMA's keys, and a network without a gate."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    ACTIVATION,
    ATTENTION,
    BIASES,
    DIVIDED,
    FLOORED,
    WIDTHS,
    heads,
    kinds,
)
from symledger.config_keys.family import Family, Unless

KEYS = {**WIDTHS, "hidden_act": ACTIVATION, "attention_dropout": FREE}
LAYER = "model.layers.*."
NETWORK = {
    f"{LAYER}mlp.{theirs}.{weight}": (f"block.feed_forward.{ours}.{w}",)
    for theirs, ours in (("up_proj", "1"), ("down_proj", "2"), ("fc1", "1"), ("fc2", "2"))
    for weight, w in (("weight", "W"), ("bias", "b"))
}
TENSORS = kinds({
    **ATTENTION,
    **NETWORK,
    f"{LAYER}attention_layernorm.weight": ("block.norm_1.g",),
    f"{LAYER}feedforward_layernorm.weight": ("block.norm_2.g",),
})  # fmt: skip

ARCEE = Family("arcee", heads("arcee", "Arcee"), {**KEYS, **BIASES}, (DIVIDED,), TENSORS)

APERTUS = Family(
    "apertus",
    heads("apertus", "Apertus", spans=False, sequences=False),
    {**KEYS, "attention_bias": Choice("attention_bias", BOOLS)},
    (FLOORED,),
    TENSORS,
)

NANOCHAT = Family(
    "nanochat",
    heads("nanochat", "NanoChat", tokens=False, spans=False, sequences=False),
    {
        **KEYS,
        "attention_bias": Choice("attention_bias", BOOLS),
        "final_logit_softcapping": Unless(FREE, {"capped_logits": "false"}),
    },
    (FLOORED,),
    TENSORS,
)
