"""The U-Nets of Stable Diffusion 1 and 2, as diffusers writes their configurations."""

from __future__ import annotations

from symledger.arguments.specs import Choice, Only, Settings, written
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.config_keys.image_keys import STAGES, staged
from symledger.config_keys.unet_keys import (
    DOWN,
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
from symledger.models.sdxl_unet.config import SDXL_UNET


def widths(values: Values) -> Settings:
    """Say the channels of the levels: three widths, for the last two levels have the same.

    Where those of neighbours were equal, a block would have no convolution beside it.
    """
    name = "block_out_channels"
    found = staged(name, values[name])
    first, second, third, last = found
    if third != last or second in (first, third):
        raise BadInput(
            f"{name} = {written(found)} is not supported: levels that are as wide as the one "
            "before are not, but for the last one, which has to be."
        )
    return {"C_1": str(first), "C_2": str(second), "C_3": str(third)}


def heads(values: Values) -> Settings:
    """Say how many heads there are: ``attention_head_dim``, which is their number, not a width.

    The library keeps the name for the sake of configurations that were published with it. All
    levels have as many, or as many as make them all as wide.
    """
    name = "attention_head_dim"
    value = values[name]
    numbers = each_level(name, value, STAGES)
    if len(set(numbers)) == 1:
        return {"h": str(numbers[0])}
    width = common_width(values["block_out_channels"], numbers)
    if width is None:
        raise BadInput(f"{name} = {written(value)} is not supported: the same number of heads at "
                       "all levels is, or heads of the same width.")  # fmt: skip
    return {"fixed": "width", "d_h": str(width)}


DIFFUSION_UNET = Family(
    NAME,
    {NAME: Built("diffusion_unet")},
    {
        **SHARED,
        "layers_per_block": Choice("blocks", {1: "1", 2: "2", 3: "3"}),
        "down_block_types": Only((DOWN,)),
        "up_block_types": Only((UP,)),
        "transformer_layers_per_block": Only((1,)),
        "addition_embed_type": Only((None,)),
        **dict.fromkeys(TOLD, FREE),
    },
    (Rule((), widths), Rule((), heads)),
    tensors=tensors(STAGES),
    implied={"S": TEXT},
    library="diffusers",
    kinds={("addition_embed_type", "text_time"): SDXL_UNET},
)
