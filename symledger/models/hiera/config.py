"""Hiera: sizes of stages as lists, or as what they grow by, and units of an image."""

from __future__ import annotations

from symledger.arguments.specs import Only, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import given_stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.encoder_keys import Tensors, norms
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import (
    BACKBONE,
    STAGES,
    Pair,
    Square,
    Stages,
    coefficient,
    staged,
)
from symledger.errors import BadInput

NUMBERS = ("none", "one", "two", "three", "all")
"""What numbers of stages that attend inside units are called."""
UNIT = 8
"""Patches of a unit down and across."""


def _side(values: Values, name: str) -> int:
    """Return the side of a square."""
    return int(Square("side").settings(name, values[name])["side"])


def _cut(values: Values) -> Settings:
    """Refuse windows whose padding is another, and images that are not cut into whole units."""
    window, apart, around = (_side(values, f"patch_{x}") for x in ("size", "stride", "padding"))
    if window != 2 * around + 1:
        raise BadInput(
            f"patch_padding = {written(values['patch_padding'])} is not supported: windows of an "
            f"odd patch_size are, padded by half of it; with {around} it would be {2 * around + 1}."
        )
    image = Pair(("H", "W")).settings("image_size", values["image_size"])
    if any(int(n) % (apart * UNIT) for n in image.values()):
        raise BadInput(
            f"image_size = {written(values['image_size'])} does not fit patch_stride = {apart}: it "
            f"is seen as units of {UNIT} patches, so that {apart * UNIT} divides its sides."
        )
    return {}


def _stages(values: Values) -> Settings:
    """Return how wide vectors, heads and networks of each stage are."""
    first, heads = size("embed_dim", values["embed_dim"]), staged("num_heads", values["num_heads"])
    times, ratio = (coefficient(values, name) for name in ("embed_dim_multiplier", "mlp_ratio"))
    widths = [int(first * times**i) for i in range(STAGES)]
    if len({*widths}) < STAGES:
        raise BadInput(
            f"embed_dim_multiplier = {written(values['embed_dim_multiplier'])} is not supported: "
            "each stage has to be of another width than the one before, or the class adds what it "
            "pooled to what it did not."
        )
    for i, (width, number) in enumerate(zip(widths, heads, strict=True)):
        if number == 0 or width % number:
            raise BadInput(
                f"num_heads[{i}] = {number} does not fit: stage {i + 1} is {width} wide, and so "
                "many heads do not divide it."
            )
    found = {"C": widths, "h": heads, "f": [size("mlp_ratio", int(n * ratio)) for n in widths]}
    return {f"{x}_{i}": str(n) for x, each in found.items() for i, n in enumerate(each, start=1)}


def _units(values: Values) -> Settings:
    """Say how many stages attend inside units: the first ones, since others are not derived."""
    inside = values["masked_unit_attention"]
    if not isinstance(inside, list) or len(inside) != STAGES or {*map(type, inside)} != {bool}:
        raise BadInput(
            f"masked_unit_attention = {written(inside)} does not fit: a list of {STAGES} is meant, "
            "true or false for each stage."
        )
    if inside != sorted(inside, reverse=True):
        raise BadInput(
            f"masked_unit_attention = {written(inside)} is not supported: true stands before false "
            "in what is, for the stages that see the most vectors come first."
        )
    return {"units": NUMBERS[sum(inside)]}


def _every(theirs: str, ours: str, letters: str) -> Tensors:
    """Return whose tensors those of all blocks are."""
    blocks = [*(f"block_{i}" for i in range(1, 5)), *(f"first_{i}" for i in range(2, 5))]
    return {
        f"hiera.encoder.stages.*.layers.*.{theirs}.{said}": tuple(
            f"{block}.{part}.{x}" for block in blocks for part in ours.split())
        for said, x in zip(("weight", "bias"), letters, strict=True)
    }  # fmt: skip


PATCHES = "hiera.embeddings.patch_embeddings.projection"
HIERA = Family(
    "hiera",
    {
        "HieraForImageClassification": Built("hiera", {"head": "true"}, labels=True),
        "HieraModel": Built("hiera", {"head": "false"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "image_size": Pair(("H", "W")),
        "patch_size": Square("K"),
        "patch_stride": Square("P"),
        "depths": Stages("L"),
        **dict.fromkeys((
            "patch_padding", "embed_dim", "embed_dim_multiplier", "num_heads", "mlp_ratio",
            "masked_unit_attention",
        ), Ruled()),
        "masked_unit_size": Only(([8, 8],), "units would have others than 64 patches"),
        "num_query_pool": Only((3,), "some stages would have as many vectors as the one before"),
        "query_stride": Only(([2, 2],), "others than four vectors would be made one"),
        "hidden_act": Acting(),
        **dict.fromkeys((
            "drop_path_rate", "initializer_range", "layer_norm_init", "decoder_hidden_size",
            "decoder_depth", "decoder_num_heads", "normalize_pixel_loss", "mask_ratio",
            "hidden_size", "num_layers",
        ), FREE),
        **BACKBONE,
    },
    (
        Rule(("image_size", "patch_size", "patch_stride"), _cut),
        Rule((), _stages), Rule((), _units), given_stages(lambda values: STAGES),
    ),
    tensors={
        "hiera.embeddings.position_embeddings": ("positions",),
        f"{PATCHES}.weight": ("patches.F",), f"{PATCHES}.bias": ("patches.b",),
        **_every("layernorm_before", "norm_1", "gb"), **_every("layernorm_after", "norm_2", "gb"),
        **_every("attn.qkv", "attention.Q attention.K attention.V", "Wb"),
        **_every("attn.proj", "attention.O", "Wb"), **_every("proj", "shortcut", "Wb"),
        **_every("mlp.fc1", "feed_forward.1", "Wb"), **_every("mlp.fc2", "feed_forward.2", "Wb"),
        **norms(hiera__pooler__layernorm="final_norm"), **HEADS,
    },
)  # fmt: skip
"""The class makes hidden_size of other keys. What draws hidden pixels is another class."""
