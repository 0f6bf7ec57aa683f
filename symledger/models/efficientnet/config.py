"""EfficientNet: one network, widened and deepened by coefficients."""

from __future__ import annotations

from math import ceil

from symledger.arguments.specs import BOOLS, Only, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED, Pair, coefficient, staged
from symledger.errors import BadInput

STEM, LAST = 32, 1280
CHANNELS = [16, 24, 40, 80, 112, 192, 320]
"""The channels of the stages at width 1 (Tan, Le, 2019, table 1)."""
KERNELS = [3, 3, 5, 3, 5, 5, 3]
STRIDES = [1, 2, 2, 2, 1, 2, 1]
WIDENED = [1, 6, 6, 6, 6, 6, 6]


def channels(values: Values) -> Settings:
    """Multiply all channels, and round each to a multiple, down by no more than a tenth."""
    by = size("depth_divisor", values["depth_divisor"])
    times = coefficient(values, "width_coefficient")

    def rounded(n: int) -> str:
        near = max(by, int(n * times + by / 2) // by * by)
        return str(near + by if near < 0.9 * n * times else near)

    last = size("hidden_dim", values["hidden_dim"])
    if rounded(LAST) != str(last):
        raise BadInput(
            f"hidden_dim = {last} does not fit: at width_coefficient = {times} and depth_divisor = "
            f"{by} the last convolution makes {rounded(LAST)} channels ({LAST} × {times}, rounded "
            f"to a multiple), and the norm behind it is one of hidden_dim: such a model is built, "
            f"and fails when it is run. Say hidden_dim = {rounded(LAST)}."
        )
    stages = {f"C_{i}": rounded(n) for i, n in enumerate(CHANNELS, start=1)}
    return {"C": rounded(STEM), **stages, "C_8": str(last)}


def blocks(values: Values) -> list[int]:
    """Return how many blocks each stage has: as many as said, multiplied and rounded up.

    Raises:
        BadInput: there are more stages or fewer.
    """
    name, times = "num_block_repeats", coefficient(values, "depth_coefficient")
    return [ceil(times * n) for n in staged(name, values[name], len(STRIDES))]


def depths(values: Values) -> Settings:
    """Say how many blocks the stages have, and which of them round up what they halve.

    Those do that ``depthwise_padding`` lists; the others, and the stem, round down.
    """
    found, padded = blocks(values), values["depthwise_padding"]
    if not isinstance(padded, list) or not all(type(i) is int for i in padded):
        raise BadInput(f"depthwise_padding = {written(padded)} does not fit: numbers of blocks do.")
    halving = [sum(found[:i]) for i, stride in enumerate(STRIDES) if stride == 2]
    up = [False, *(block in padded for block in halving)]
    return {
        **{f"L_{i}": str(n) for i, n in enumerate(found, start=1)},
        **{f"up_{i}": BOOLS[this] for i, this in enumerate(up, start=1)},
    }


def norm(theirs: str, ours: str) -> dict[str, str]:
    """Return the two weights of a batch norm."""
    return {f"{theirs}.weight": f"{ours}.norm.g", f"{theirs}.bias": f"{ours}.norm.b"}


STEM_PARTS = {"convolution.weight": "stem.convolution.F", **norm("batchnorm", "stem")}
PARTS = {
    "expansion.expand_conv.weight": "expand.convolution.F",
    **norm("expansion.expand_bn", "expand"),
    "depthwise_conv.depthwise_conv.weight": "depthwise.convolution.F",
    **norm("depthwise_conv.depthwise_norm", "depthwise"),
    "squeeze_excite.reduce.weight": "squeeze_excitation.squeeze.W",
    "squeeze_excite.reduce.bias": "squeeze_excitation.squeeze.b",
    "squeeze_excite.expand.weight": "squeeze_excitation.excite.W",
    "squeeze_excite.expand.bias": "squeeze_excitation.excite.b",
    "projection.project_conv.weight": "narrow.convolution.F",
    **norm("projection.project_bn", "narrow"),
}  # fmt: skip
TOP = {"top_conv.weight": "last.convolution.F", **norm("top_bn", "last")}

EFFICIENTNET = Family(
    "efficientnet",
    {
        "EfficientNetForImageClassification":
            Built("efficientnet", {"head": "true"}, labels=True),
        "EfficientNetModel": Built("efficientnet", {"head": "false"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "image_size": Pair(("H", "W")),
        **dict.fromkeys(
            ("width_coefficient", "depth_coefficient", "depth_divisor", "num_block_repeats",
             "depthwise_padding", "hidden_dim"), Ruled(),
        ),
        "kernel_sizes": Only((KERNELS,)),
        "in_channels": Only(([STEM, *CHANNELS[:-1]],)),
        "out_channels": Only((CHANNELS,)),
        "strides": Only((STRIDES,)),
        "expand_ratios": Only((WIDENED,)),
        "squeeze_expansion_ratio": Only((0.25,)),
        "hidden_act": Acting(learned=False),
        "pooling_type": Only(("mean",)),
        "batch_norm_momentum": FREE,
        "drop_connect_rate": FREE,
        "num_hidden_layers": FREE,
        **UNTIED,
    },
    (Rule((), channels), Rule((), depths)),
    tensors={
        **{f"efficientnet.embeddings.{theirs}": (ours,) for theirs, ours in STEM_PARTS.items()},
        **{f"efficientnet.encoder.blocks.*.{theirs}": tuple(
            f"stage_{i}.{which}.{ours}" for i in range(1, 8) for which in ("first", "block"))
           for theirs, ours in PARTS.items()},
        **{f"efficientnet.encoder.{theirs}": (ours,) for theirs, ours in TOP.items()},
        **HEADS,
    },
)  # fmt: skip
