"""Aya Vision and Command A Vision: an encoder and a decoder with configurations of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Only, Settings, SizeOf, Use, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    decoding,
    generating,
    grid,
    inner,
    within,
)
from symledger.errors import BadInput
from symledger.models.cohere.config import COHERE2
from symledger.models.gemma_vision.config import VISION
from symledger.models.siglip.config import image

TEXT = decoding(COHERE2)
PROJECTOR = {
    "layernorm.weight": ("projector_norm.g",), "layernorm.bias": ("projector_norm.b",),
    "linear_1.weight": ("projector.1.W", "projector.up.W"),
    "linear_1.bias": ("projector.1.b", "projector.up.b"),
    "linear_2.weight": ("projector.2.W",), "linear_2.bias": ("projector.2.b",),
}  # fmt: skip


def seeing(
    model_type: str, name: str, normed: str, uses: Mapping[str, Use], absent: Values
) -> Family:
    """Return the family of that name."""
    vision = replace(VISION, absent=absent)

    def cut(values: Values) -> Settings:
        side = size("downsample_factor", values["downsample_factor"])
        return {"g": str(side), **grid(values, TEXT, vision, "g", side, "downsample_factor")}

    return Family(
        model_type,
        {k: Built(b.entry, {**b.options, "normed": normed})
         for k, b in generating("cohere_vision", name).items()},
        {**TIED, "downsample_factor": SizeOf("g"), **uses, "alignment_intermediate_size": Ruled()},
        (Rule((), cut), Rule((), _halved)),
        {
            **within("model.language_model.", DENSE), **image("model.vision_tower.", "tower."),
            **{f"model.multi_modal_projector.{k}": ours for k, ours in PROJECTOR.items()},
        },
        implied=ONE_IMAGE,
        parts={"text_config": TEXT, "vision_config": vision},
    )  # fmt: skip


def _halved(values: Values) -> Settings:
    """Return how wide the projector is inside, of which one half is a gate for the other."""
    key = "alignment_intermediate_size"
    said = values.get(key, inner(values, "text_config", TEXT, "hidden_size"))
    width, over = divmod(size(key, said), 2)
    if over:
        raise BadInput(
            f"{key} = {said} does not fit: one half is a gate for the other, so it is even."
        )
    return {"d_proj": str(width)}


AYA_VISION = seeing(
    "aya_vision", "AyaVision", "true",
    {
        "vision_feature_layer": Only((-1,), "the last block of the encoder is read"),
        "vision_feature_select_strategy": Only(
            ("full",), "the encoder has no class vector that could be left out"
        ),
        "vocab_size": FREE, "max_splits_per_img": FREE,
    },
    {"hidden_size": 1152, "intermediate_size": 4304, "patch_size": 14, "image_size": 384,
     "num_hidden_layers": 26, "num_attention_heads": 14, "vision_use_head": False},
)  # fmt: skip
COHERE2_VISION = seeing(
    "cohere2_vision", "Cohere2Vision", "false", {},
    {"hidden_size": 1152, "intermediate_size": 3072, "image_size": 512, "num_hidden_layers": 27,
     "num_attention_heads": 12},
)  # fmt: skip
