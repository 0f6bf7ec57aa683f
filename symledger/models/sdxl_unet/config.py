"""The U-Net of SDXL, as diffusers writes its configuration."""

from __future__ import annotations

from symledger.arguments.specs import Only, Settings, size, written
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import staged
from symledger.config_keys.unet_keys import (
    DOWN,
    LETTERS,
    NAME,
    SHARED,
    TEXT,
    TOLD,
    UP,
    common_width,
    each_level,
    tensors,
)
from symledger.errors import BadInput

LARGE = 3
"""Levels of SDXL, the first of which has no transformers."""


def large_widths(values: Values) -> Settings:
    """Say the channels of three levels, none as wide as the one before."""
    name = "block_out_channels"
    found = staged(name, values[name], LARGE)
    if found[1] in (found[0], found[2]):
        raise BadInput(f"{name} = {written(found)} is not supported: levels that are as wide as "
                       "the one before are not.")  # fmt: skip
    return {f"C_{i}": str(C) for i, C in enumerate(found, start=1)}


def large_heads(values: Values) -> Settings:
    """Say how wide the heads are of the two levels that have any."""
    name = "attention_head_dim"
    numbers = each_level(name, values[name], LARGE)
    width = common_width(values["block_out_channels"][1:], numbers[1:])
    if width is None:
        raise BadInput(f"{name} = {written(values[name])} is not supported: numbers of heads are "
                       "that make them as wide at the second level as at the third.")  # fmt: skip
    return {"d_h": str(width)}


def depths(values: Values) -> Settings:
    """Say how many transformer blocks stand after a block of the second and the third level."""
    name = "transformer_layers_per_block"
    _, second, third = each_level(name, values[name], LARGE)
    return {"L_2": str(second), "L_3": str(third)}


def told(values: Values) -> Settings:
    """Say how wide the vector of the text is: what the six numbers of an image leave of all."""
    whole, each = "projection_class_embeddings_input_dim", "addition_time_embed_dim"
    d_f = size(each, values[each])
    d_proj = size(whole, values[whole]) - 6 * d_f
    if d_proj < 1 or d_f % 2:
        raise BadInput(
            f"{whole} = {values[whole]} does not fit {each} = {d_f}: six numbers of an image are "
            "written in as many sines and cosines, and the rest is the vector of the text."
        )
    return {"d_f": str(d_f), "d_proj": str(d_proj)}


SDXL_UNET = Family(
    NAME,
    {NAME: Built("sdxl_unet")},
    {
        **SHARED,
        "layers_per_block": Only((2,)),
        "down_block_types": Only(([DOWN[-1], *DOWN[:2]],)),
        "up_block_types": Only(([*UP[1:3], UP[0]],)),
        "addition_embed_type": Only(("text_time",)),
        **dict.fromkeys(("transformer_layers_per_block", *TOLD), Ruled()),
    },
    (Rule((), large_widths), Rule((), large_heads), Rule((), depths), Rule((), told)),
    tensors={
        **tensors(LARGE, "block."),
        **{f"add_embedding.linear_{i}.{kind}": (f"told.{i}.{W}",)
           for i in (1, 2) for kind, _, W, _ in LETTERS},
    },
    implied={"S": TEXT},
    library="diffusers",
)  # fmt: skip
