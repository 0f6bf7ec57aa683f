"""Mistral 3 with images and LightOnOCR, and Pixtral, their encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, head_width
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import cut
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    TOWER,
    decoding,
    generating,
    grid,
    inner,
    within,
)
from symledger.models.mistral.config import MINISTRAL3, MISTRAL
from symledger.models.qwen3.config import QWEN3

BLOCK = {
    "attention_norm": "norm_1.g", "ffn_norm": "norm_2.g",
    **{f"attention.{x.lower()}_proj": f"attention.{x}.W" for x in "QKVO"},
    **{f"feed_forward.{x}_proj": f"feed_forward.{x}.W" for x in ("gate", "up", "down")},
}  # fmt: skip


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the encoder."""
    return {
        f"{theirs}patch_conv.weight": (f"{ours}patches.convolution.F",),
        f"{theirs}ln_pre.weight": (f"{ours}first_norm.g",),
        **{f"{theirs}transformer.layers.*.{name}.weight": (f"{ours}block.{part}",)
           for name, part in BLOCK.items()},
    }  # fmt: skip


def _cut(values: Values) -> Settings:
    """Return how many patches the largest image has that places are told for."""
    head_width({k: size(k, values[k]) for k in ("hidden_size", "num_attention_heads")})
    return cut("image_size", values["image_size"], size("patch_size", values["patch_size"]))


VISION = Family(
    "pixtral",
    {"PixtralVisionModel": Built("pixtral_vision")},
    {
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "num_channels": SizeOf("C_in"),
        "image_size": Ruled(),
        "patch_size": SizeOf("P"),
        "hidden_act": Acting(),
        **dict.fromkeys(("head_dim", "initializer_range", "vocab_size"), FREE),
    },
    (Rule(("hidden_size",), _cut),),
    image("", ""),
)
"""The width of heads follows from the others, whatever the file says (transformers 5.23)."""


def _divided(values: Values) -> Settings:
    """Refuse heads that do not divide the width."""
    head_width({k: size(k, values[k]) for k in ("hidden_size", "num_attention_heads")})
    return {}


INSIDE = replace(
    VISION, uses={**VISION.uses, **TOWER}, rules=(Rule((), _divided),),
    absent={"intermediate_size": 4096, "hidden_size": 1024, "patch_size": 14, "image_size": 1540,
            "num_hidden_layers": 24, "num_attention_heads": 16, "hidden_act": "gelu"},
)  # fmt: skip
TEXT = decoding(MISTRAL, MINISTRAL3, absent={
    "head_dim": 128, "hidden_act": "silu", "hidden_size": 5120, "intermediate_size": 32768,
    "max_position_embeddings": 131072, "num_attention_heads": 32, "num_hidden_layers": 40,
    "num_key_value_heads": 8, "sliding_window": None, "vocab_size": 131072,
})  # fmt: skip
"""What its class makes of a configuration without a part (transformers 5.23, Mistral3Config)."""


def grouped(text: Family, encoder: Family) -> Rule:
    """Return what tells how many groups of patches the largest image has."""

    def read(values: Values) -> Settings:
        side = size("spatial_merge_size", values["spatial_merge_size"])
        size("vision_config.patch_size", inner(values, "vision_config", encoder, "patch_size"))
        return {"g": str(side), **grid(values, text, encoder, "g", side, "spatial_merge_size")}

    return Rule((), read)


def seeing(
    projector: str, tower: str, text: Mapping[str, tuple[str, ...]] = DENSE
) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the whole, whose parts have names of their own."""
    return {
        **within("model.language_model.", text), **image(f"model.{tower}.", "tower."),
        f"model.{projector}.norm.weight": ("projector_norm.g",),
        f"model.{projector}.patch_merger.merging_layer.weight": ("merger.W",),
        **{f"model.{projector}.linear_{i}.{said}": (f"projector.{i}.{letter}",)
           for i in (1, 2) for said, letter in (("weight", "W"), ("bias", "b"))},
    }  # fmt: skip


MISTRAL3 = Family(
    "mistral3",
    generating("mistral3", "Mistral3"),
    {
        **TIED,
        "spatial_merge_size": SizeOf("g"),
        "projector_hidden_act": Acting("projector_activation"),
        "multimodal_projector_bias": Choice("projector_bias", BOOLS),
        "vision_feature_layer": Only((-1,), "the last block of the encoder is read"),
        "vocab_size": FREE,
    },
    (grouped(TEXT, INSIDE),),
    seeing("multi_modal_projector", "vision_tower"),
    implied={**ONE_IMAGE, "packed": "true"},
    parts={"text_config": TEXT, "vision_config": INSIDE},
)  # fmt: skip
QWEN = decoding(QWEN3, absent={
    "head_dim": 128, "hidden_act": "silu", "hidden_size": 1024, "intermediate_size": 3072,
    "max_position_embeddings": 40960, "num_attention_heads": 16, "num_hidden_layers": 28,
    "num_key_value_heads": 8, "sliding_window": None, "vocab_size": 151936,
})  # fmt: skip
LIGHT = replace(INSIDE, absent={**INSIDE.absent, "hidden_act": "silu"})
"""What its class makes of a configuration without a part (transformers 5.23, LightOnOcrConfig)."""
LIGHTON_OCR = Family(
    "lighton_ocr",
    generating("lighton_ocr", "LightOnOcr"),
    {**TIED, "spatial_merge_size": SizeOf("g"), "vocab_size": FREE},
    (grouped(QWEN, LIGHT),),
    seeing("vision_projection", "vision_encoder"),
    implied={**ONE_IMAGE, "packed": "true"},
    parts={"text_config": QWEN, "vision_config": LIGHT},
)
