"""RegNet: ResNet's keys, and how wide groups of channels are."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import CONVOLVED, UNTIED, Stages, staged
from symledger.errors import BadInput
from symledger.models.resnet.config import parts, widened

UNITS = ("first", "grouped", "last")
SQUEEZING = ("squeeze_excitation.squeeze", "squeeze_excitation.excite")


def _grouped(values: Values) -> Settings:
    """Return how many groups there are in each stage, and what means are squeezed to.

    The class rounds both: the groups down, and a quarter of the channels to the nearest even.
    """
    wide = size("groups_width", values["groups_width"])
    widths = staged("hidden_sizes", values["hidden_sizes"])
    groups = [max(1, width // wide) for width in widths]
    for i, (width, number) in enumerate(zip(widths, groups, strict=True)):
        if width % number:
            raise BadInput(
                f"groups_width = {wide} does not fit hidden_sizes[{i}] = {width}: {number} groups "
                "do not divide it."
            )
    squeezed = [round(width / 4) for width in (size("embedding_size", values["embedding_size"]),
                                               *widths)]  # fmt: skip
    if values["layer_type"] == "y" and 0 in squeezed:
        raise BadInput("means of channels would be squeezed to no number. Choose more channels.")
    return {
        **{f"G_{i}": str(n) for i, n in enumerate(groups, start=1)},
        **{f"C_s{i}": str(max(n, 1)) for i, n in enumerate(squeezed)},
    }


LAYER = "regnet.encoder.stages.*.layers.*."
REGNET = Family(
    "regnet",
    {
        "RegNetForImageClassification": Built("regnet", {"head": "true"}, labels=True),
        "RegNetModel": Built("regnet", {"head": "false"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "embedding_size": SizeOf("C"),
        "hidden_sizes": Stages("C"),
        "depths": Stages("L"),
        "groups_width": Ruled(),
        "layer_type": Choice("squeezed", {"y": "true", "x": "false"}),
        "hidden_act": Acting(learned=False),
        "downsample_in_first_stage": Choice("halved", BOOLS),
        **UNTIED,
    },
    (
        Rule(("hidden_sizes", "embedding_size"), widened),
        Rule(("hidden_sizes", "embedding_size", "layer_type"), _grouped),
    ),
    tensors={
        **{f"regnet.embedder.embedder.{k}": (f"stem.{ours}",) for k, ours in CONVOLVED.items()},
        **{f"{LAYER}shortcut.{k}": parts(("shortcut",), ours) for k, ours in CONVOLVED.items()},
        **{f"{LAYER}layer.*.{k}": parts(UNITS, ours) for k, ours in CONVOLVED.items()},
        **{f"{LAYER}layer.*.attention.*.{said}": parts(SQUEEZING, x)
           for said, x in (("weight", "W"), ("bias", "b"))},
        "classifier.*.weight": ("head.W",),
        "classifier.*.bias": ("head.b",),
    },
)  # fmt: skip
