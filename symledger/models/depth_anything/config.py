"""Depth Anything: DINOv2 as a configuration inside, and what fuses and says depths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symledger.arguments.specs import Choice, Only, Settings, SizeOf, size, written
from symledger.config_keys.backbone_keys import stages
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import Tensors, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED, Stages
from symledger.errors import BadInput
from symledger.models.dinov2.config import DINOV2

SMALL: Mapping[str, Any] = {
    "image_size": 518, "hidden_size": 384, "num_attention_heads": 6,
    "out_indices": [9, 10, 11, 12], "reshape_hidden_states": False,
}  # fmt: skip
"""What the class builds where nothing is said of what sees."""


def _read(values: Values) -> Settings:
    """Return how many blocks there are before each of four that are read, the last of which is."""
    layers = size("num_hidden_layers", values["num_hidden_layers"])
    read = stages(values, layers)
    if len(read) != 4 or read[0] == 0:
        raise BadInput(
            f"out_indices = {written(read)} is not supported: what four blocks give is fused."
        )
    if read[-1] != layers:
        raise BadInput(
            f"out_indices = {written(read)} is not supported: the last of num_hidden_layers = "
            f"{layers} blocks has to be read, for nothing reads those behind it."
        )
    return {f"L_{i}": str(n - m) for i, (m, n) in enumerate(zip([0, *read], read, strict=False), 1)}


def _fitting(values: Values) -> Settings:
    """Refuse patches and widths that are not those of what sees, and an odd number of channels."""
    part = values["backbone_config"]
    inside = {**DINOV2.facts["keys"], **(part if isinstance(part, dict) else SMALL)}
    for ours, theirs in (("patch_size", "patch_size"), ("reassemble_hidden_size", "hidden_size")):
        if values[ours] != inside[theirs]:
            raise BadInput(
                f"{ours} = {written(values[ours])} does not fit backbone_config: {theirs} is "
                f"{written(inside[theirs])} there."
            )
    if size("fusion_hidden_size", values["fusion_hidden_size"]) % 2:
        raise BadInput(
            f"fusion_hidden_size = {values['fusion_hidden_size']} is not supported: half of the "
            "channels go on, so that 2 divides it."
        )
    return {"C": str(values["fusion_hidden_size"])}


SEEN = replace(
    DINOV2,
    uses={
        **DINOV2.uses,
        "num_hidden_layers": Ruled(),
        "apply_layernorm": Only((True,), "what is read would not be normalized"),
        "reshape_hidden_states": Only((False,), "the first patch would be taken for the class"),
    },
    rules=(*DINOV2.rules[:2], Rule(("out_features", "out_indices"), _read)),
    absent=SMALL,
)  # fmt: skip
BOTH = (("weight", "F"), ("bias", "b"))
UNITS = {f"residual_layer{n}.convolution{i}": f"unit_{n}.{i}" for n in (1, 2) for i in (1, 2)}
FUSED: Tensors = {
    **{f"{theirs}.{said}": tuple(f"fusion_{n}.{ours}.{x}" for n in range(1, 5))
       for theirs, ours in (*UNITS.items(), ("projection", "projection")) for said, x in BOTH},
}  # fmt: skip
IDLE = {
    f"residual_layer1.convolution{i}.{said}": (f"fusion_1.{x}_{i}",) for i in (1, 2)
    for said, x in BOTH
}  # fmt: skip
NECK: Tensors = {
    **{f"reassemble_stage.layers.*.{theirs}.{said}": tuple(
        f"reassembled_{n}.{theirs}.{x}" for n in range(1, 5))
       for theirs in ("projection", "resize") for said, x in BOTH},
    "convs.*.weight": tuple(f"narrowing_{n}.F" for n in range(1, 5)),
    **{f"fusion_stage.layers.*.{name}": IDLE.get(name, ()) + ours for name, ours in FUSED.items()},
}  # fmt: skip


def _backbone(name: str) -> str:
    return name.replace("dinov2.", "backbone.", 1)


def _four(ours: str) -> tuple[str, ...]:
    if not ours.startswith("block."):
        return (ours,)
    return tuple(ours.replace("block.", f"block_{i}.", 1) for i in range(1, 5))


DEPTH_ANYTHING = Family(
    "depth_anything",
    {"DepthAnythingForDepthEstimation": Built("depth_anything")},
    {
        "neck_hidden_sizes": Stages("C"),
        "fusion_hidden_size": Ruled(),
        "head_hidden_size": SizeOf("C_out"),
        "reassemble_factors": Only(
            ([4, 2, 1, 0.5],), "maps would be made larger by other factors"),
        "head_in_index": Only((-1, 3), "depths would be told from a smaller map"),
        "depth_estimation_type": Choice("depth", {"relative": "relative", "metric": "metric"}),
        **dict.fromkeys(("patch_size", "reassemble_hidden_size"), Ruled()),
        **dict.fromkeys((
            "max_depth", "initializer_range", "backbone", "use_pretrained_backbone",
            "use_timm_backbone", "backbone_kwargs",
        ), FREE),
        **UNTIED,
    },
    (Rule(("backbone_config",), _fitting),),
    tensors={
        **{_backbone(name): tuple(x for o in ours for x in _four(o))
           for name, ours in DINOV2.tensors.items()},
        "backbone.layernorm.weight": ("norm_1.g",), "backbone.layernorm.bias": ("norm_1.b",),
        **under("neck.", "neck.", NECK),
        **{f"head.conv{i}.{said}": (f"head_{i}.{x}",) for i in (1, 2, 3) for said, x in BOTH},
    },
    parts={"backbone_config": SEEN},
)  # fmt: skip
