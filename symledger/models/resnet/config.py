"""ResNet."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import given_stages
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.config_keys.image_keys import BACKBONE, CONVOLVED, STAGES, Stages, staged


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
        "hidden_act": Acting(learned=False),
        "downsample_in_first_stage": Choice("halved", BOOLS),
        "downsample_in_bottleneck": Choice("early", BOOLS),
        **BACKBONE,
    },
    (Rule(("hidden_sizes", "embedding_size"), widened), given_stages(lambda values: STAGES)),
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
