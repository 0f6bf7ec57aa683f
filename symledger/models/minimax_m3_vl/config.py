"""MiniMax-M3 with images: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Only, Settings, SizeOf, Use, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import affine, head_width
from symledger.config_keys.encoder_keys import Tensors
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    TOWER,
    decoding,
    lasting,
    tied_by_either,
    within,
)
from symledger.errors import BadInput
from symledger.models.minimax_m3.config import MINIMAX_M3
from symledger.models.qwen_vision.config import IMAGE

PARTS = {
    "layer_norm1": "norm_1", "layer_norm2": "norm_2", "self_attn.out_proj": "attention.O",
    **{f"self_attn.{x.lower()}_proj": f"attention.{x}" for x in "QKV"},
    "mlp.fc1": "feed_forward.1", "mlp.fc2": "feed_forward.2",
}  # fmt: skip
AXES = 3
"""Frame, row and column, each of which turns as much of a head."""


def image(theirs: str, ours: str) -> Tensors:
    """Return what stands behind the weights of the encoder."""
    return {
        f"{theirs}embeddings.proj.weight": (f"{ours}patches.F",),
        **affine(theirs, {"pre_layrnorm": f"{ours}first_norm"}),
        **affine(f"{theirs}layers.*.", {k: f"{ours}block.{v}" for k, v in PARTS.items()}),
    }


def _turned(symbol: str, option: str) -> Rule:
    """Return the rule of how much of a head is turned: an even third of it by each axis."""

    def read(values: Values) -> Settings:
        width = head_width({k: size(k, values[k]) for k in ("hidden_size", "num_attention_heads")})
        turned = AXES * (int(width) // AXES // 2 * 2)
        if not turned:
            raise BadInput(
                f"hidden_size / num_attention_heads = {width} does not fit: two elements of a head "
                "are turned by each of three axes, at least."
            )
        return {symbol: str(turned), option: BOOLS[turned < width]}

    return Rule(("hidden_size", "num_attention_heads"), read)


COMMON: Mapping[str, Use] = {
    "num_channels": SizeOf("C_in"),
    "patch_size": SizeOf("P"),
    "spatial_merge_size": SizeOf("g"),
    "temporal_patch_size": Only((2,), "an image is seen as two frames"),
    **dict.fromkeys(("image_size", "rope_parameters", "initializer_range"), FREE),
}
VISION = Family(
    "minimax_m3_vl_vision",
    {"MiniMaxM3VLVisionModel": Built("minimax_m3_vision")},
    {
        **COMMON,
        "hidden_size": SizeOf("d"), "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"), "num_attention_heads": SizeOf("h"),
        "hidden_act": Acting(),
    },
    (_turned("d_rot", "partly"),), image("", ""), implied=IMAGE,
)  # fmt: skip
INSIDE = replace(
    VISION, uses={**TOWER, **COMMON}, rules=(_turned("d_ri", "image_partly"),), implied={}
)
TEXT = decoding(MINIMAX_M3)


def _lasting(values: Values) -> Settings:
    """Return how long a sequence is, where nothing is said."""
    return lasting(values, TEXT, int(IMAGE["H_g"]) * int(IMAGE["W_g"]))


MINIMAX_M3_VL = Family(
    "minimax_m3_vl",
    {
        "MiniMaxM3SparseForConditionalGeneration": Built("minimax_m3_vl", {"head": "lm"}),
        "MiniMaxM3VLModel": Built("minimax_m3_vl", {"head": "bare"}),
    },
    {
        "tie_word_embeddings": Ruled(),
        "projector_hidden_size": SizeOf("d_proj"),
        "merged_hidden_size": FREE,
    },
    (Rule((), _lasting), tied_by_either(TEXT)),
    {
        **within("model.language_model.", MINIMAX_M3.tensors),
        **image("model.vision_tower.", "tower."),
        **affine("model.multi_modal_projector.", {
            **{f"linear_{i}": f"projector.{i}" for i in (1, 2)},
            **{f"merge_linear_{i}": f"merged_projector.{i}" for i in (1, 2)},
        }),
    },
    implied={"n_img": "1", **IMAGE},
    parts={"text_config": TEXT, "vision_config": INSIDE},
)  # fmt: skip
"""MiniMax-M3 with images of any size; what it makes of films is not derived."""
