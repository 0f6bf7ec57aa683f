"""MobileNetV2."""

from __future__ import annotations

from dataclasses import dataclass

from symledger.arguments.specs import BOOLS, Only, Settings, SizeOf, Use, among, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import CONVOLVED, UNTIED, Pair, coefficient
from symledger.errors import BadInput

CHANNELS = {"C": 32, **{f"C_{i}": n for i, n in enumerate((16, 24, 32, 64, 96, 160, 320), 1)}}
"""The channels of the stem and of the stages at multiplier 1 (Sandler et al., 2018, table 2)."""
LAST = 1280
DEPTHS = {f"L_{i}": str(n) for i, n in enumerate((1, 2, 3, 4, 3, 3, 1), 1)}


def channels(values: Values) -> Settings:
    """Multiply all channels, and round each to what it has to be divisible by."""
    times = coefficient(values, "depth_multiplier")
    by, least = (size(name, values[name]) for name in ("depth_divisible_by", "min_depth"))
    if least % by:
        raise BadInput(f"min_depth = {least} is supported only if depth_divisible_by = {by} "
                       "divides it.")  # fmt: skip
    found = {name: rounded(n * times, by, least) for name, n in CHANNELS.items()}
    fine = among("finegrained_output", values["finegrained_output"], tuple(BOOLS))
    found["C_8"] = LAST if fine and times < 1 else rounded(LAST * times, by, least)
    return {name: str(n) for name, n in found.items()}


def rounded(value: float, by: int, least: int) -> int:
    """Round to a multiple, as the implementation does: down by no more than a tenth."""
    whole = round(value)
    near = max(least, int(whole + by / 2) // by * by)
    return near + by if near < 0.9 * whole else near


@dataclass(frozen=True)
class Kept(Use):
    """How much smaller an image may become; what is none of its halvings is never met."""

    option: str

    def settings(self, name: str, value: object) -> Settings:
        """Return the option."""
        return {self.option: str(value) if size(name, value, -(10**9)) in (2, 4, 8, 16) else "32"}


PARTS = {"expand_1x1": "expand", "conv_3x3": "depthwise", "reduce_1x1": "narrow"}
STEM = {"first_conv": "stem", "conv_3x3": "stage_1.first.depthwise",
        "reduce_1x1": "stage_1.first.narrow"}  # fmt: skip
SEGMENTATION = {"conv_pool": "pool", "conv_aspp": "places", "conv_projection": "projection"}

MOBILENET_V2 = Family(
    "mobilenet_v2",
    {
        "MobileNetV2ForImageClassification": Built("mobilenet_v2", {"head": "true"}, labels=True),
        "MobileNetV2ForSemanticSegmentation":
            Built("mobilenet_v2", {"segmented": "true"}, labels=True),
        "MobileNetV2Model": Built("mobilenet_v2", {"head": "false"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "image_size": Pair(("H", "W")),
        **dict.fromkeys(
            ("depth_multiplier", "depth_divisible_by", "min_depth", "finegrained_output"), Ruled()
        ),
        "expand_ratio": Only((6,)),
        "output_stride": Kept("output_stride"),
        "first_layer_is_expansion": Only((True,)),
        "hidden_act": Acting(learned=False),
        "tf_padding": FREE,
        "semantic_loss_ignore_index": FREE,
        "initializer_range": FREE,
        **UNTIED,
    },
    (Rule((), channels),),
    tensors={
        **{f"mobilenet_v2.conv_stem.{theirs}.{kind}": (f"{ours}.{letter}",)
           for theirs, ours in STEM.items() for kind, letter in CONVOLVED.items()},
        **{f"mobilenet_v2.layer.*.{theirs}.{kind}": tuple(
            f"stage_{i}.{which}.{ours}.{letter}" for i in range(2, 8)
            for which in ("first", "block"))
           for theirs, ours in PARTS.items() for kind, letter in CONVOLVED.items()},
        **{f"mobilenet_v2.conv_1x1.{kind}": (f"last.{letter}",)
           for kind, letter in CONVOLVED.items()},
        **{f"segmentation_head.{theirs}.{kind}": (f"segmentation.{ours}.{letter}",)
           for theirs, ours in SEGMENTATION.items() for kind, letter in CONVOLVED.items()},
        "segmentation_head.classifier.convolution.weight": ("segmentation.classifier.F",),
        "segmentation_head.classifier.convolution.bias": ("segmentation.classifier.b",),
        **HEADS,
    },
    implied=DEPTHS,
)  # fmt: skip
