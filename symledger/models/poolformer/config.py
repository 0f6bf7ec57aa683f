"""PoolFormer: lists of four stages."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import maps, norms
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import STAGES, UNTIED, Stages, coefficient, staged
from symledger.config_keys.pyramid_keys import OVERLAPPING, WINDOWS, every, four
from symledger.errors import BadInput


def _hidden(values: Values) -> Settings:
    """Return how wide networks are, as the class counts it: rounded down."""
    ratio = coefficient(values, "mlp_ratio")
    hidden = [int(width * ratio) for width in staged("hidden_sizes", values["hidden_sizes"])]
    if 0 in hidden:
        raise BadInput(f"mlp_ratio = {written(ratio)} does not fit: a network would be empty.")
    return {f"f_{i}": str(n) for i, n in enumerate(hidden, start=1)}


def _neighbours(values: Values) -> Settings:
    """Refuse windows without a middle: the class raises on them."""
    side = size("pool_size", values["pool_size"])
    if side % 2 == 0:
        raise BadInput(
            f"pool_size = {side} does not fit: an odd number is, so that each place is the middle "
            "of its neighbours."
        )
    return {"K": str(side)}


POOLFORMER = Family(
    "poolformer",
    {
        "PoolFormerForImageClassification": Built("poolformer", {"head": "classes"}, labels=True),
        "PoolFormerModel": Built("poolformer", {"head": "bare"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "num_encoder_blocks": Only((STAGES,)),
        "hidden_sizes": Stages("C"),
        "depths": Stages("L"),
        "hidden_act": Acting(),
        **OVERLAPPING,
        "padding": Only(([2, 1, 1, 1],), WINDOWS),
        "mlp_ratio": Ruled(),
        "pool_size": Ruled(),
        "use_layer_scale": Choice("scaled", BOOLS),
        **dict.fromkeys((
            "patch_size", "stride", "drop_path_rate", "layer_scale_init_value",
            "initializer_range",
        ), FREE),
        **UNTIED,
    },
    (Rule(("hidden_sizes",), _hidden), Rule((), _neighbours)),
    tensors={
        **{f"poolformer.encoder.patch_embeddings.*.projection.{said}": four(f"patches_{{}}.{x}")
           for said, x in (("weight", "F"), ("bias", "b"))},
        **every("poolformer.encoder.block.*.*.", {
            **norms(before_norm="norm_1", after_norm="norm_2"),
            "layer_scale_1": ("g_1",), "layer_scale_2": ("g_2",),
            **{f"output.conv{i}.{said}": (f"{i}.{x}",)
               for i in (1, 2) for said, x in (("weight", "F"), ("bias", "b"))},
        }),
        **norms(norm="final_norm"), **maps(classifier="head"),
    },
)  # fmt: skip
"""Patches and strides of a number each are read nowhere (transformers 5.23)."""
