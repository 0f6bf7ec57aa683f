"""Idefics2: an encoder, a resampler and a decoder, each with a configuration of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Settings, SizeOf, Use, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    TOWER,
    decoding,
    generating,
    grid,
    inner,
    lasting,
    within,
)
from symledger.errors import BadInput
from symledger.models.mistral.config import MISTRAL
from symledger.models.siglip import config as siglip

NORMS = {
    "input_latents_norm": "norm_1", "input_context_norm": "image_norm",
    "post_attention_layernorm": "norm_2",
}  # fmt: skip


def resampler(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the resampler."""
    maps = {
        **{f"self_attn.{x.lower()}_proj": x for x in "QKVO"},
        **{f"mlp.{x}_proj": f"feed_forward.{x}" for x in ("gate", "up", "down")},
    }  # fmt: skip
    layer = f"{theirs}layers.*."
    return {
        f"{theirs}latents": (f"{ours}latents",), f"{theirs}norm.weight": (f"{ours}final_norm.g",),
        **{f"{layer}{name}.weight": (f"{ours}layer.{part}.W",) for name, part in maps.items()},
        **{f"{layer}{name}.weight": (f"{ours}layer.{part}.g",) for name, part in NORMS.items()},
    }  # fmt: skip


def _shared(values: Values) -> Settings:
    """Refuse more heads of keys and values than there are heads."""
    h, kv = (size(key, values[key]) for key in ("resampler_n_heads", "num_key_value_heads"))
    if kv > h:
        raise BadInput(f"num_key_value_heads = {kv} is more than resampler_n_heads = {h}.")
    return {}


KEYS: Mapping[str, Use] = {
    "hidden_size": SizeOf("d"),
    "hidden_act": Acting(),
    "resampler_n_latents": SizeOf("N_q"),
    "resampler_depth": SizeOf("L"),
    "resampler_n_heads": SizeOf("h"),
    "resampler_head_dim": SizeOf("d_h"),
    "num_key_value_heads": SizeOf("h_kv"),
    "attention_dropout": FREE,
}
SHARED = Rule(("resampler_n_heads", "num_key_value_heads"), _shared)
PERCEIVER = Family(
    "idefics2_perceiver", {"Idefics2PerceiverResampler": Built("perceiver_resampler")}, KEYS,
    (SHARED,), resampler("", ""),
)  # fmt: skip
INSIDE = replace(PERCEIVER, uses={
    **KEYS,
    "hidden_size": FREE,
    "hidden_act": Acting("resampler_activation"),
    "resampler_depth": SizeOf("L_lat"),
    "resampler_n_heads": SizeOf("h_lat"),
    "resampler_head_dim": SizeOf("d_lat"),
    "num_key_value_heads": SizeOf("k_lat"),
})  # fmt: skip
"""Its class makes it as wide as the decoder, whatever the part says."""
VISION = replace(siglip.IDEFICS2, uses={**siglip.IDEFICS2.uses, **TOWER})


def named(part: Family) -> Family:
    """Return a part that published files call by the name of the whole."""
    return replace(part, others=(replace(part, model_type="idefics2", like=part.model_type),))


PARTS = {
    "text_config": decoding(MISTRAL), "vision_config": named(VISION),
    "perceiver_config": named(INSIDE),
}  # fmt: skip


def _cut(values: Values) -> Settings:
    """Return how many patches an image has, and a sequence that what tells of it fits in."""
    text = PARTS["text_config"]
    told = inner(values, "perceiver_config", PARTS["perceiver_config"], "resampler_n_latents")
    return {
        **grid(values, text, PARTS["vision_config"]),
        **lasting(values, text, size("resampler_n_latents", told)),
    }


IDEFICS2 = Family(
    "idefics2",
    generating("idefics2", "Idefics2"),
    {**TIED, "vocab_size": FREE},
    (Rule((), _cut),),
    {
        **within("model.text_model.", DENSE),
        **{theirs: ours for theirs, ours in siglip.image("model.vision_model.", "tower.").items()
           if ".head." not in theirs},
        **{f"model.connector.modality_projection.{name}_proj.weight": (f"projector.{part}.W",)
           for name, part in (("gate", "1"), ("up", "up"), ("down", "2"))},
        **resampler("model.connector.perceiver_resampler.", "resampler."),
    },
    implied=ONE_IMAGE, parts=PARTS,
)  # fmt: skip
