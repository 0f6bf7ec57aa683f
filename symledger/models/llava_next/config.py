"""LLaVA-NeXT and LLaVA-OneVision: images of several shapes, each so many tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    decoding,
    generating,
    grid,
    inner,
    lasting,
    read_layer,
    tied_by_either,
    within,
)
from symledger.errors import BadInput
from symledger.models.gemma_vision.config import VISION as SIGLIP
from symledger.models.llama.config import LLAMA
from symledger.models.llava.config import PROJECTOR, UNREAD
from symledger.models.llava.config import VISION as CLIP
from symledger.models.mistral.config import MISTRAL
from symledger.models.qwen2.config import QWEN2
from symledger.models.siglip.config import image

MOST = 9
"""Tiles that are seen where nothing is said, at most: of more, vectors are interpolated."""


NEXT_SHAPES = [[336, 672], [672, 336], [672, 672], [1008, 336], [336, 1008]]
ONEVISION_SHAPES = [[384 * down, 384 * across] for down in range(1, 7) for across in range(1, 7)]
"""What their classes make of a configuration without shapes (transformers 5.23)."""


def tiled(values: Values, text: Family, encoder: Family, usual: list[list[int]]) -> Settings:
    """Return how many tiles an image has at most, of the shapes that there are.

    Raises:
        BadInput: shapes are no pairs of lengths, or none is made of whole tiles.
    """
    side = size("image_size", inner(values, "vision_config", encoder, "image_size"))
    said = values["image_grid_pinpoints"]
    shapes = usual if said is None else said if isinstance(said, list) else [said]
    pairs = [x for x in shapes if isinstance(x, list) and len(x) == 2]
    if not pairs or len(pairs) != len(shapes):
        raise BadInput(
            f"image_grid_pinpoints = {written(shapes)} is no list of pairs, of heights and widths."
        )
    found = grid(values, text, encoder)
    grids = [[size("image_grid_pinpoints", length) // side for length in pair] for pair in pairs]
    fitting = [(down * across, down, across) for down, across in grids if down and across]
    if not fitting:
        raise BadInput(
            f"image_grid_pinpoints = {written(shapes)} does not fit image_size = {side}: a tile is "
            "that long and wide, and no shape has one."
        )
    most = max([x[0] for x in fitting if x[0] <= MOST], default=min(fitting)[0])
    _, down, across = min((x for x in fitting if x[0] == most), key=lambda x: abs(x[1] - x[2]))
    patches, rows = int(found["H_p"]) * int(found["W_p"]), int(found["H_p"]) * down
    kept = patches * down * across
    return {**found, "N_t": str(down * across + 1), "T_vis": str(kept), "H_k": str(rows),
            **lasting(values, text, patches + kept + rows)}  # fmt: skip


UNUSED = (
    "image_seq_length", "ignore_index", "vocab_size", "video_seq_length", "spatial_pool_mode",
    "spatial_pool_stride", "use_image_newline_parameter",
)  # fmt: skip
KEYS: Mapping[str, Use] = {
    **TIED,
    "projector_hidden_act": Acting("projector_activation"),
    "multimodal_projector_bias": Choice("projector_bias", BOOLS),
    "image_grid_pinpoints": Ruled(),
    **dict.fromkeys(UNUSED, FREE),
}
LINE = {"model.image_newline": ("line_end",)}
TEXT = decoding(LLAMA, replace(
    MISTRAL, uses={**MISTRAL.uses, "sliding_window": Only((None,), "derived is all that is seen")},
    implied={"windows": "none"},
))  # fmt: skip


def _next(model_type: str, name: str) -> Family:
    """Return the family of a class that sees images; what it makes of films is not derived."""
    return Family(
        model_type, generating("llava_next", name),
        {**KEYS, "vision_feature_layer": Ruled(),
         "vision_feature_select_strategy": Only(
             ("default",), "with the class vector the vectors of a tile are no square")},
        (Rule((), lambda values: tiled(values, TEXT, CLIP, NEXT_SHAPES)),
         Rule((), lambda values: read_layer(values, CLIP))),
        {
            **LINE, **within("model.language_model.", DENSE), **UNREAD,
            **{f"model.{name}": ours for name, ours in PROJECTOR.items()},
        },
        implied=ONE_IMAGE, parts={"text_config": TEXT, "vision_config": CLIP},
    )  # fmt: skip


LLAVA_NEXT = _next("llava_next", "LlavaNext")
VIDEO = _next("llava_next_video", "LlavaNextVideo")
LLAVA_NEXT_VIDEO = replace(VIDEO, rules=(*VIDEO.rules, tied_by_either(TEXT)))
QWEN = decoding(QWEN2)
INSIDE = replace(SIGLIP, absent={
    "hidden_size": 1152, "intermediate_size": 4304, "patch_size": 14, "image_size": 384,
    "num_hidden_layers": 26, "num_attention_heads": 16, "vision_use_head": False,
})  # fmt: skip
"""What its class makes of a configuration without a part (transformers 5.23)."""


LLAVA_ONEVISION = Family(
    "llava_onevision", generating("llava_onevision", "LlavaOnevision"),
    {
        **KEYS, "vision_aspect_ratio": FREE,
        "vision_feature_layer": Only((-1,), "the last block of the encoder is read"),
        "vision_feature_select_strategy": Only(("full",), "there is no class vector to leave out"),
    },
    (Rule((), lambda values: tiled(values, QWEN, INSIDE, ONEVISION_SHAPES)), tied_by_either(QWEN)),
    {
        **LINE, **within("model.language_model.", DENSE), **image("model.vision_tower.", "tower."),
        **{f"model.{name}": ours for name, ours in PROJECTOR.items()},
    },
    implied=ONE_IMAGE, parts={"text_config": QWEN, "vision_config": INSIDE},
)  # fmt: skip
