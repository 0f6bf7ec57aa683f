"""ConvNeXt."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Only, Settings, SizeOf
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import given_stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Unless, Values
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


def _four(values: Values) -> Settings:
    """Refuse depths of other than four stages."""
    staged("depths", values["depths"])
    return {}


RENAMED = {
    f"{LAYERS}.{name}".replace("convnext.", "convnextv2."): every(part)
    for name, part in (
        ("grn.weight", "g"), ("grn.bias", "b"), ("pwconv1.weight", "1.W"), ("pwconv1.bias", "1.b"),
        ("pwconv2.weight", "2.W"), ("pwconv2.bias", "2.b"),
    )
}  # fmt: skip
CONVNEXTV2 = replace(
    CONVNEXT, model_type="convnextv2",
    builds={
        "ConvNextV2ForImageClassification": Built("convnextv2", {"head": "true"}, labels=True),
        "ConvNextV2Model": Built("convnextv2", {"head": "false"}),
    },
    uses={
        **{k: use for k, use in CONVNEXT.uses.items() if k != "layer_scale_init_value"},
        "hidden_act": Only(("gelu",), "a channel that is zero everywhere has no direction"),
    },
    rules=(Rule(("depths", "num_stages"), _four), given_stages(lambda values: STAGES)),
    tensors={
        **{name.replace("convnext.", "convnextv2."): ours
           for name, ours in CONVNEXT.tensors.items() if "layer_scale" not in name},
        **RENAMED,
    },
)  # fmt: skip
def _unsaid(letter: str, numbers: tuple[int, ...]) -> Unless:
    """Return a list's use that is null where the class has these numbers (transformers 5.23)."""
    absent = {f"{letter}_{i}": str(n) for i, n in enumerate(numbers, start=1)}
    return Unless(Stages(letter), absent)


DINO_LAYER, DINO_SMALLER = "model.stages.*.layers.*", "model.stages.*.downsample_layers.*"
DINOV3 = replace(
    CONVNEXT, model_type="dinov3_convnext",
    builds={"DINOv3ConvNextModel": Built("dinov3_convnext")},
    uses={
        **{k: use for k, use in CONVNEXT.uses.items() if k not in ("patch_size", "num_stages")},
        "layer_scale_init_value": FREE,
        "hidden_sizes": _unsaid("C", (96, 192, 384, 768)), "depths": _unsaid("L", (3, 3, 9, 3)),
    },
    rules=(given_stages(lambda values: STAGES),),
    implied={"P": "4"},
    tensors={
        f"{DINO_LAYER}.gamma": every("g"),
        **{f"{DINO_LAYER}.{theirs}.{said}": every(f"{part}.{x}")
           for theirs, part, letters in (
               ("depthwise_conv", "depthwise", "Fb"), ("layer_norm", "norm", "gb"),
               ("pointwise_conv1", "network.1", "Wb"), ("pointwise_conv2", "network.2", "Wb"))
           for said, x in zip(("weight", "bias"), letters, strict=True)},
        **{f"{DINO_SMALLER}.{said}": (*first, *CONVNEXT.tensors[f"{HALVING}.{said}"])
           for said, first in (("weight", ("stem.F", "stem_norm.norm.g")),
                               ("bias", ("stem.b", "stem_norm.norm.b")))},
        "layer_norm.weight": ("final_norm.g",), "layer_norm.bias": ("final_norm.b",),
    },
)  # fmt: skip
