"""LLaVA: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Family, Rule, Ruled
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    TOWER,
    decoding,
    generating,
    grid,
    read_layer,
    tied_by_either,
    within,
)
from symledger.models.clip.config import IMAGE, image
from symledger.models.llama.config import LLAMA

TEXT = decoding(LLAMA)
VISION = replace(
    IMAGE, uses={**IMAGE.uses, **TOWER},
    absent={"intermediate_size": 4096, "hidden_size": 1024, "patch_size": 14, "image_size": 336,
            "num_hidden_layers": 24, "num_attention_heads": 16},
)  # fmt: skip
"""What its class makes of a configuration without the part (transformers 5.23, LlavaConfig)."""


PROJECTOR = {
    "multi_modal_projector.linear_1.weight": ("projector.1.W",),
    "multi_modal_projector.linear_1.bias": ("projector.1.b",),
    "multi_modal_projector.linear_2.weight": ("projector.2.W",),
    "multi_modal_projector.linear_2.bias": ("projector.2.b",),
}
UNREAD = {
    name: (ours, *(o.replace("tower.block", "tower.unread_block") for o in (ours,)
                   if o.startswith("tower.block")))
    for name, (ours,) in image("model.vision_tower.", "tower.").items()
    if name.startswith("model.")
}  # fmt: skip

LLAVA = Family(
    "llava",
    generating("llava", "Llava"),
    {
        **TIED,
        "projector_hidden_act": Acting("projector_activation"),
        "multimodal_projector_bias": Choice("projector_bias", BOOLS),
        "vision_feature_select_strategy": Choice("all_read", {"default": "false", "full": "true"}),
        "vision_feature_layer": Ruled(),
        **dict.fromkeys(("image_seq_length", "ignore_index", "vocab_size"), FREE),
    },
    (Rule((), lambda values: grid(values, TEXT, VISION)),
     Rule((), lambda values: read_layer(values, VISION)), tied_by_either(TEXT)),
    {
        **within("model.language_model.", DENSE), **UNREAD,
        **{f"model.{name}": ours for name, ours in PROJECTOR.items()},
    },
    implied=ONE_IMAGE,
    parts={"text_config": TEXT, "vision_config": VISION},
)
