"""ViTPose: a vision transformer inside, and how what it sees is made larger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DIVIDED
from symledger.config_keys.encoder_keys import Tensors, maps, norms
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED, Pair, Square
from symledger.errors import BadInput

EARLY: Mapping[str, Any] = {"out_indices": [4]}
"""What the class reads where nothing is said of what sees."""
PADDING = 2


def _read(values: Values) -> Settings:
    """Say which block is read, the last of those that are named, and how many come behind it."""
    layers = size("num_hidden_layers", values["num_hidden_layers"])
    read = stages(values, layers)
    if len(read) != 1 or read[0] == 0:
        raise BadInput(
            f"out_indices = {written(read)} is not supported: what one block gives is read."
        )
    if read[0] == layers:
        return {"inner": "false"}
    return {"inner": "true", "L_u": str(layers - read[0])}


def _hidden(values: Values) -> Settings:
    """Say how wide networks are inside, and whether several maps make their last results."""
    width = size("hidden_size", values["hidden_size"])
    found = {"d_ff": str(width * size("mlp_ratio", values["mlp_ratio"]))}
    experts = size("num_experts", values["num_experts"])
    if experts == 1:
        return {**found, "parted": "false"}
    part = size("part_features", values["part_features"])
    if part >= width:
        raise BadInput(
            f"part_features = {part} does not fit: networks have hidden_size = {width} results, "
            "of which all have to be more."
        )
    return {**found, "parted": "true", "E": str(experts), "d_exp": str(part)}


def _cut(values: Values) -> Settings:
    """Refuse images that have more patches with zeros around them than the class has rows for."""
    side = int(Square("P").settings("patch_size", values["patch_size"])["P"])
    image = Pair(("H", "W")).settings("image_size", values["image_size"])
    for axis in "HW":
        length = int(image[axis])
        if length < side or (length + 2 * PADDING) // side != length // side:
            raise BadInput(
                f"image_size = {written(values['image_size'])} does not fit patch_size = {side}: "
                f"{length} and {2 * PADDING} more pixels are another number of patches than "
                f"{length}, or none."
            )
    return {**image, "P": str(side)}


SEEN = Family(
    "vitpose_backbone",
    {},
    {
        "hidden_size": SizeOf("d"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "hidden_act": Acting(),
        "num_channels": SizeOf("C_in"),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        **dict.fromkeys(("image_size", "patch_size", "mlp_ratio", "num_experts", "part_features",
                         "out_indices", "out_features"), Ruled()),
        **dict.fromkeys(("initializer_range", "stage_names"), FREE),
        **UNTIED,
    },
    (DIVIDED, Rule((), _read), Rule(("hidden_size",), _hidden), Rule((), _cut)),
    absent=EARLY,
)  # fmt: skip
LAYER: Tensors = {
    **norms(layernorm_before="norm_1", layernorm_after="norm_2"),
    **maps(**{f"attention__attention__{x}": f"attention.{x[0].upper()}"
              for x in ("query", "key", "value")},
           attention__output__dense="attention.O",
           mlp__fc1="feed_forward.1", mlp__fc2="feed_forward.2"),
    "mlp.experts.*.weight": ("feed_forward.W",), "mlp.experts.*.bias": ("feed_forward.b",),
}  # fmt: skip

VITPOSE = Family(
    "vitpose",
    {"VitPoseForPoseEstimation": Built("vitpose", labels=True)},
    {
        "use_simple_decoder": Choice("simple", BOOLS),
        "scale_factor": SizeOf("u"),
        **dict.fromkeys((
            "initializer_range", "backbone", "use_pretrained_backbone", "use_timm_backbone",
            "backbone_kwargs",
        ), FREE),
        **UNTIED,
    },
    tensors={
        "backbone.embeddings.position_embeddings": ("P",),
        "backbone.embeddings.patch_embeddings.projection.weight": ("patches.F",),
        "backbone.embeddings.patch_embeddings.projection.bias": ("patches.b",),
        **{f"backbone.encoder.layer.*.{name}": (f"block.{ours}", f"unread_block.{ours}")
           for name, (ours,) in LAYER.items()},
        **norms(backbone__layernorm="final_norm", head__batchnorm1="larger_norm_1",
                head__batchnorm2="larger_norm_2"),
        "head.conv.weight": ("joints.F",), "head.conv.bias": ("joints.b",),
        "head.deconv1.weight": ("larger_1.F",), "head.deconv2.weight": ("larger_2.F",),
    },
    parts={"backbone_config": SEEN},
)  # fmt: skip
