"""Granite and HyperCLOVA X: LLaMA's keys, and numbers that scale what is given."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Number, Use
from symledger.config_keys.decoder_keys import (
    BIASES,
    DENSE,
    DIVIDED,
    FLOORED,
    LLAMA_KEYS,
    heads,
    kinds,
)
from symledger.config_keys.family import Built, Family, Ruled, Unless
from symledger.config_keys.window_keys import LISTED, TURNED, all_but_first_of, windows

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


GRANITE_SWA = Family(
    "granite_swa",
    heads("granite_swa", "GraniteSWA", tokens=False, spans=False, sequences=False),
    {**KEYS, **LISTED, "layer_rope_theta": Ruled()},
    (FLOORED, TURNED, *windows(all_but_first_of(4))),
    {**DENSE, **kinds({
        "model.layers.*.self_attn.sinks": ("block.attention.core.sinks",),
    }, "windowed_block")},
)  # fmt: skip

GRANITE_DOCLING = replace(
    GRANITE, model_type="granite_docling_text",
    builds={"GraniteDoclingTextModel": Built("granite", {"head": "bare"})},
)
GRANITE4_VISION = replace(
    GRANITE, model_type="granite4_vision_text",
    builds={"Granite4VisionTextModel": Built("granite", {"head": "bare"})},
)
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
