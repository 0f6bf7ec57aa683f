"""HunYuan-VL: an encoder and a decoder, whose keys older files hold outside of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Only, Settings, SizeOf, Use, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    TIED,
    TOWER,
    decoding,
    generating,
    lasting,
    tied_by_either,
    within,
)
from symledger.config_keys.tower_keys import BLOCK
from symledger.errors import BadInput
from symledger.models.qwen3.config import HUNYUAN_VL as DECODER
from symledger.models.qwen_vision.config import IMAGE

NAMES = {
    "embeddings.patch_embedding": "patches.convolution", "patch_merger.proj_conv":
    "groups.convolution", "patch_merger.proj_out": "widening", "patch_merger.mlp": "map",
    **{f"layers.*.{name.replace('out_proj', 'o_proj')}": f"block.{part}"
       for name, part in BLOCK.items()},
}  # fmt: skip
"""Maps, convolutions and norms of blocks, all with biases."""
FIRST = ("patches", "groups")
SINGLE = {
    "image_newline": "line_end", "image_begin": "first", "image_end": "last",
    "image_sep": "between", "before_rms.weight": "final_norm.g", "after_rms.weight": "norm.g",
}  # fmt: skip


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the encoder."""
    found: dict[str, tuple[str, ...]] = {
        f"{theirs}embeddings.position_embedding.weight": (f"{ours}table",),
    }
    for name, part in NAMES.items():
        letter = "F" if part.startswith(FIRST) else "g" if ".norm" in part else "W"
        found[f"{theirs}{name}.weight"] = (f"{ours}{part}.{letter}",)
        found[f"{theirs}{name}.bias"] = (f"{ours}{part}.b",)
    return found | {f"{theirs}patch_merger.{name}": (f"{ours}{x}",) for name, x in SINGLE.items()}


def _placed(values: Values) -> Settings:
    """Return how many rows the table of places has: one before those of the largest image.

    Raises:
        BadInput: there are none of those.
    """
    head_width({k: size(k, values[k]) for k in ("hidden_size", "num_attention_heads")})
    largest, patch = (size(key, values[key]) for key in ("max_image_size", "patch_size"))
    if largest < patch:
        raise BadInput(
            f"max_image_size = {largest} is less than a patch, {patch}: no place is left."
        )
    return {"T_max": str((largest // patch) ** 2 + 1)}


USES: Mapping[str, Use] = {
    "hidden_size": SizeOf("d"),
    "intermediate_size": SizeOf("d_ff"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "num_channels": SizeOf("C_in"),
    "patch_size": SizeOf("P"),
    "spatial_merge_size": SizeOf("g"),
    "text_hidden_size": SizeOf("d_out"),
    "hidden_act": Acting(),
    "max_image_size": Ruled(),
    "interpolate_mode": Only(("bilinear",), "each patch takes a share of four rows here"),
    "temporal_patch_size": Only((1,), "its class cuts one frame into patches"),
    **dict.fromkeys((
        "attention_dropout", "num_key_value_heads", "out_hidden_size", "img_max_token_num",
        "min_image_size", "max_vit_seq_len",
    ), FREE),
}  # fmt: skip
RULE = Rule(("hidden_size", "num_attention_heads", "patch_size"), _placed)
VISION = Family(
    "hunyuan_vl_vision", {"HunYuanVLVisionTransformer": Built("hunyuan_vision")}, USES, (RULE,),
    image("", ""), IMAGE,
)  # fmt: skip
INSIDE = replace(
    VISION, implied={},
    uses={**USES, **{k: use for k, use in TOWER.items() if k in USES}, "text_hidden_size": FREE},
)  # fmt: skip
"""Its class makes what is seen as wide as words are, whatever the part says."""
TEXT = decoding(DECODER)
HUNYUAN_VL = Family(
    "hunyuan_vl", generating("hunyuan_vl", "HunYuanVL"),
    {
        **TIED,
        **dict.fromkeys(("vocab_size", "im_start_id", "im_end_id", "im_newline_id"), FREE),
    },
    (Rule((), lambda values: lasting(values, TEXT, 74)), tied_by_either(TEXT)),
    {**within("model.language_model.", DECODER.tensors), **image("model.vision_tower.", "tower.")},
    implied={"n_img": "1", **IMAGE},
    parts={"text_config": TEXT, "vision_config": INSIDE},
    flat="text_config",
)  # fmt: skip
