"""ConvNeXt."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Only, Settings, SizeOf
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import given_stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import (
    BACKBONE,
    STAGES,
    Pair,
    Square,
    Stages,
    positive,
    staged,
)


def scaled(values: Values) -> Settings:
    """Say whether blocks have factors: where they do not begin as zero."""
    if values["num_stages"] != len(staged("depths", values["depths"])):
        return Only((4,)).settings("num_stages", values["num_stages"])
    return {"scaled": BOOLS[positive(values, "layer_scale_init_value")]}


def every(kind: str) -> tuple[str, ...]:
    """Return the weights of that kind in the blocks of all stages."""
    return tuple(f"block_{i}.{kind}" for i in range(1, 5))


STEM, LAYERS = "convnext.embeddings", "convnext.encoder.stages.*.layers.*"
HALVING = "convnext.encoder.stages.*.downsampling_layer.*"

CONVNEXT = Family(
    "convnext",
    {
        "ConvNextForImageClassification": Built("convnext", {"head": "true"}, labels=True),
        "ConvNextModel": Built("convnext", {"head": "false"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "patch_size": Square("P"),
        "num_stages": Only((4,)),
        "hidden_sizes": Stages("C"),
        "depths": Stages("L"),
        "hidden_act": Acting(),
        "layer_scale_init_value": Ruled(),
        "drop_path_rate": FREE,
        "image_size": Pair(("H", "W")),
        "initializer_range": FREE,
        **BACKBONE,
    },
    (Rule(("depths", "num_stages"), scaled), given_stages(lambda values: STAGES)),
    tensors={
        f"{STEM}.patch_embeddings.weight": ("stem.F",),
        f"{STEM}.patch_embeddings.bias": ("stem.b",),
        f"{STEM}.layernorm.weight": ("stem_norm.norm.g",),
        f"{STEM}.layernorm.bias": ("stem_norm.norm.b",),
        f"{LAYERS}.layer_scale_parameter": every("g"),
        f"{LAYERS}.dwconv.weight": every("depthwise.F"),
        f"{LAYERS}.dwconv.bias": every("depthwise.b"),
        f"{LAYERS}.layernorm.weight": every("norm.g"),
        f"{LAYERS}.layernorm.bias": every("norm.b"),
        f"{LAYERS}.pwconv1.weight": every("network.1.W"),
        f"{LAYERS}.pwconv1.bias": every("network.1.b"),
        f"{LAYERS}.pwconv2.weight": every("network.2.W"),
        f"{LAYERS}.pwconv2.bias": every("network.2.b"),
        f"{HALVING}.weight": tuple(
            f"{part}_{i}.{kind}" for i in (1, 2, 3)
            for part, kind in (("norm", "norm.g"), ("halving", "F"))
        ),
        f"{HALVING}.bias": tuple(
            f"{part}_{i}.{kind}" for i in (1, 2, 3)
            for part, kind in (("norm", "norm.b"), ("halving", "b"))
        ),
        "convnext.layernorm.weight": ("final_norm.g",),
        "convnext.layernorm.bias": ("final_norm.b",),
        **HEADS,
    },
)  # fmt: skip
