"""MobileNetV1: a factor of all channels, and the least that there are."""

from __future__ import annotations

from symledger.arguments.specs import Settings, SizeOf, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.encoder_keys import Tensors
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import CONVOLVED, UNTIED, Pair, coefficient

FIRST = 32
DEPTHS = {f"L_{i}": str(n) for i, n in enumerate((1, 2, 2, 6, 2), 1)}
"""The channels of the stem at multiplier 1, and how many pairs see an image at each size (Howard et
al., 2017, table 1)."""


def _channels(values: Values) -> Settings:
    """Multiply all channels, and round each down, to no less than is said."""
    times = coefficient(values, "depth_multiplier")
    least = size("min_depth", values["min_depth"])
    widths = [max(int(FIRST * 2**i * times), least) for i in range(6)]
    names = ("C", *(f"C_{i}" for i in range(1, 6)))
    return {name: str(width) for name, width in zip(names, widths, strict=True)}


def _layers() -> Tensors:
    blocks = [f"stage_{i}.{which}" for i in range(1, 6) for which in ("first", "block")]
    return {
        f"mobilenet_v1.layer.*.{kind}": tuple(
            f"{block}.{part}.{letter}" for block in blocks for part in ("depthwise", "mapped"))
        for kind, letter in CONVOLVED.items()
    }  # fmt: skip


MOBILENET_V1 = Family(
    "mobilenet_v1",
    {
        "MobileNetV1ForImageClassification": Built("mobilenet_v1", {"head": "true"}, labels=True),
        "MobileNetV1Model": Built("mobilenet_v1", {"head": "false"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "image_size": Pair(("H", "W")),
        **dict.fromkeys(("depth_multiplier", "min_depth"), Ruled()),
        "hidden_act": Acting(learned=False),
        "tf_padding": FREE,
        "initializer_range": FREE,
        **UNTIED,
    },
    (Rule((), _channels),),
    tensors={
        **{f"mobilenet_v1.conv_stem.{kind}": (f"stem.{letter}",)
           for kind, letter in CONVOLVED.items()},
        **_layers(), **HEADS,
    },
    implied=DEPTHS,
)  # fmt: skip
