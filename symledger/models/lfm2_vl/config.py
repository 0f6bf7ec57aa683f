"""LFM2 with images: SigLIP 2 and LFM2, each with a configuration of its own."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    TOWER,
    decoding,
    generating,
    inner,
    lasting,
    within,
)
from symledger.models.lfm2.config import LFM2
from symledger.models.qwen_vision.config import IMAGE
from symledger.models.siglip.config import IMAGE2, image

TEXT = decoding(LFM2)
INSIDE = replace(
    IMAGE2, rules=(),
    uses={
        **{k: use for k, use in IMAGE2.uses.items() if k not in ("num_patches", "vision_use_head")},
        **{k: use for k, use in TOWER.items() if k not in ("image_size", "projection_dim")},
        "num_patches": SizeOf("T_max"), "vision_use_head": Choice("idle", BOOLS),
    },
)  # fmt: skip


def _tied(values: Values) -> Settings:
    """Tie the head as the whole says, where an older key does not say otherwise."""
    said = values.get("tie_embedding")
    return {"tied": BOOLS[values["tie_word_embeddings"] is True if said is None else said is True]}


def _squared(values: Values) -> Settings:
    """Return how large the largest square image is that each row of the table has a place of."""
    rows = size("num_patches", inner(values, "vision_config", INSIDE, "num_patches"))
    side = size("downsample_factor", values["downsample_factor"])
    groups = str(max(isqrt(rows) // side, 1))
    return {"H_g": groups, "W_g": groups, **lasting(values, TEXT, int(groups) ** 2)}


LFM2_VL = Family(
    "lfm2_vl",
    generating("lfm2_vl", "Lfm2Vl"),
    {
        "tie_word_embeddings": Ruled(), "tie_embedding": Ruled(),
        "projector_hidden_act": Acting("projector_activation"),
        "projector_hidden_size": SizeOf("d_proj"),
        "projector_bias": Choice("projector_bias", BOOLS),
        "projector_use_layernorm": Choice("projector_norm", BOOLS),
        "downsample_factor": SizeOf("g"),
        **dict.fromkeys((
            "vocab_size", "do_image_splitting", "encoder_patch_size", "max_image_tokens",
            "max_num_patches", "max_pixels_tolerance", "max_tiles", "min_image_tokens",
            "min_tiles", "tile_size", "use_image_special_tokens", "use_thumbnail",
        ), FREE),
    },
    (Rule((), _tied), Rule(("downsample_factor",), _squared)),
    {
        **within("model.language_model.", LFM2.tensors), **image("model.vision_tower.", "tower."),
        "model.vision_tower.embeddings.position_embedding.weight": ("tower.table",),
        "model.multi_modal_projector.layer_norm.weight": ("projector_norm.g",),
        "model.multi_modal_projector.layer_norm.bias": ("projector_norm.b",),
        **{f"model.multi_modal_projector.linear_{i}.{said}": (f"projector.{i}.{letter}",)
           for i in (1, 2) for said, letter in (("weight", "W"), ("bias", "b"))},
    },
    implied={"n_img": "1", **IMAGE},
    parts={"text_config": TEXT, "vision_config": INSIDE},
)  # fmt: skip
