"""Encoders of Segment Anything, and of models that read pages with one like it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED, cut
from symledger.errors import BadInput

SEEING = "global_attn_indexes"
WIDTHS = ("hidden_size", "num_attention_heads", "image_size", "patch_size")
BOTH = ("block", "wide_block")


def wide(values: Values) -> Settings:
    """Return how many blocks see all of an image: those that are named and there.

    Raises:
        BadInput: no list is given, or none of the blocks is named.
    """
    layers, said = size("num_hidden_layers", values["num_hidden_layers"]), values[SEEING]
    if not isinstance(said, list) or not all(type(i) is int for i in said):
        raise BadInput(f"{SEEING} = {written(said)} is no list of blocks, from 0 on.")
    found = len({i for i in said if 0 <= i < layers})
    if not found:
        raise BadInput(
            f"{SEEING} = {written(said)} is not supported: one of {layers} blocks has to see all "
            f"of an image here. Name one below {layers}."
        )
    return {"windowed": "false"} if found == layers else {"windowed": "true", "L_f": str(found)}


def whole(values: Values) -> Settings:
    """Refuse heads that do not divide the width, and images smaller than a patch."""
    given = {key: size(key, values[key]) for key in WIDTHS}
    head_width(given)
    cut("image_size", given["image_size"], given["patch_size"])
    return {}


def _hidden(values: Values) -> Settings:
    """Return how wide networks are inside: as is said, or so many times as wide as vectors."""
    if values["mlp_dim"] is not None:
        return {"d_ff": str(size("mlp_dim", values["mlp_dim"]))}
    ratio = values["mlp_ratio"]
    if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 < ratio <= 1000:
        raise BadInput(f"mlp_ratio = {written(ratio)} does not fit: a number above 0 is meant.")
    return {"d_ff": str(size("mlp_dim", int(size("hidden_size", values["hidden_size"]) * ratio)))}


USES: Mapping[str, Use] = {
    "hidden_size": SizeOf("d"),
    "output_channels": SizeOf("C"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "num_channels": SizeOf("C_in"),
    "image_size": SizeOf("H", ("W",)),
    "patch_size": SizeOf("P"),
    "hidden_act": Acting(),
    "qkv_bias": Choice("qkv_bias", BOOLS),
    "use_abs_pos": Choice("placed", BOOLS),
    "use_rel_pos": Only((True,), "scores know how far apart places are"),
    "window_size": SizeOf("M"),
    SEEING: Ruled(),
    **dict.fromkeys(("initializer_range", "attention_dropout", "layer_norm_eps"), FREE),
    **UNTIED,
}
"""An image is as high as it is wide: of a list its class makes no table."""
LAYER: Tensors = {
    **norms(layer_norm1="norm_1", layer_norm2="norm_2"),
    **maps(mlp__lin1="feed_forward.1", mlp__lin2="feed_forward.2"),
}
SEEN = ("block.windows.attention", "wide_block.attention")


def tensors(theirs: str, ours: str) -> Tensors:
    """Return what stands behind the weights of an encoder that is called so, here and there."""
    layers = {
        f"{theirs}layers.*.{name}": tuple(f"{ours}{kind}.{x}" for kind in BOTH)
        for name, (x,) in LAYER.items()
    }
    attention = f"{theirs}layers.*.attn."
    return {
        **under(theirs, ours, {
            "pos_embed": ("positions",),
            "patch_embed.projection.weight": ("patches.convolution.F",),
            "patch_embed.projection.bias": ("patches.convolution.b",),
            "neck.conv1.weight": ("neck_1.F",), "neck.conv2.weight": ("neck_2.F",),
            **norms(neck__layer_norm1="neck_norm_1", neck__layer_norm2="neck_norm_2"),
        }),
        **layers,
        **{f"{attention}{theirs_}": tuple(f"{ours}{kind}.{x}" for kind in SEEN for x in mine)
           for theirs_, mine in {
               "qkv.weight": ("Q.W", "K.W", "V.W"), "qkv.bias": ("Q.b", "K.b", "V.b"),
               "proj.weight": ("O.W",), "proj.bias": ("O.b",),
               "rel_pos_h": ("core.R_h",), "rel_pos_w": ("core.R_w",),
           }.items()},
    }  # fmt: skip


GOT_OCR2 = Family(
    "got_ocr2_vision",
    {"GotOcr2VisionEncoder": Built("sam_vision")},
    {**USES, "mlp_dim": SizeOf("d_ff")},
    (Rule((), wide), Rule(WIDTHS, whole)),
    tensors=tensors("", ""),
)
SAM = replace(
    GOT_OCR2, model_type="sam_vision_model", builds={"SamVisionModel": Built("sam_vision")},
    uses={
        **USES, "mlp_dim": Ruled(), "mlp_ratio": Ruled(),
        **dict.fromkeys(("num_pos_feats", "scale"), FREE),
    },
    rules=(*GOT_OCR2.rules, Rule(("hidden_size",), _hidden)),
    tensors=tensors("vision_encoder.", ""),
)  # fmt: skip
SAM_HQ = replace(
    SAM, model_type="sam_hq_vision_model", builds={"SamHQVisionModel": Built("sam_vision")}
)
