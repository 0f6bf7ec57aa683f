"""ResNet and ConvNeXt."""

from __future__ import annotations

from symledger.catalogue.argument_specs import BOOLS, Choice, Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import (
    ACTIVATIONS,
    CONVOLVED,
    UNTIED,
    Pair,
    Square,
    Stages,
    positive,
    staged,
)

BACKBONE = {**dict.fromkeys(("out_features", "out_indices", "stage_names"), FREE), **UNTIED}
"""What a class gives that serves as a part of other models, which is refused."""


def widened(values: Values) -> Settings:
    """Say whether the first stage has other channels than the stem."""
    first = staged("hidden_sizes", values["hidden_sizes"])[0]
    return {"widened": BOOLS[values["embedding_size"] != first]}


def parts(names: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """Return the weights of that kind of the units of those names in all blocks."""
    return tuple(
        f"stage_{i}.{which}.{name}.{kind}"
        for i in range(1, 5) for which in ("first", "block") for name in names
    )  # fmt: skip


UNITS = ("narrow", "conv", "widen", "conv_1", "conv_2")

RESNET = Family(
    "resnet",
    {
        "ResNetForImageClassification": Built("resnet", {"head": "true"}, labels=True),
        "ResNetModel": Built("resnet", {"head": "false"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "embedding_size": SizeOf("C"),
        "hidden_sizes": Stages("C"),
        "depths": Stages("L"),
        "layer_type": Choice("bottleneck", {"bottleneck": "true", "basic": "false"}),
        "hidden_act": Only(("relu",)),
        "downsample_in_first_stage": Choice("halved", BOOLS),
        "downsample_in_bottleneck": Choice("early", BOOLS),
        **BACKBONE,
    },
    (Rule(("hidden_sizes", "embedding_size"), widened),),
    tensors={
        **{f"resnet.embedder.embedder.{k}": (f"stem.{ours}",) for k, ours in CONVOLVED.items()},
        **{f"resnet.encoder.stages.*.layers.*.shortcut.{k}": parts(("shortcut",), ours)
           for k, ours in CONVOLVED.items()},
        **{f"resnet.encoder.stages.*.layers.*.layer.*.{k}": parts(UNITS, ours)
           for k, ours in CONVOLVED.items()},
        "classifier.*.weight": ("head.W",),
        "classifier.*.bias": ("head.b",),
    },
)  # fmt: skip


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
        "hidden_act": Choice("activation", ACTIVATIONS),
        "layer_scale_init_value": Ruled(),
        "drop_path_rate": FREE,
        "image_size": Pair(("H", "W")),
        "initializer_range": FREE,
        **BACKBONE,
    },
    (Rule(("depths", "num_stages"), scaled),),
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
