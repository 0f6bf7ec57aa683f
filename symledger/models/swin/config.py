"""Swin, and what it is called where it is a part of Donut and of MaskFormer."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import given_stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import BACKBONE, STAGES, Pair, Square, Stages, staged
from symledger.errors import BadInput


def _heads(values: Values) -> Settings:
    """Return the heads of each stage, which have to divide its width."""
    width = size("embed_dim", values["embed_dim"])
    heads = staged("num_heads", values["num_heads"])
    for i, number in enumerate(heads):
        if number == 0 or width * 2**i % number:
            raise BadInput(
                f"num_heads[{i}] = {number} does not fit: stage {i + 1} is {width * 2**i} wide, "
                "and so many heads do not divide it."
            )
    return {f"h_{i}": str(number) for i, number in enumerate(heads, start=1)}


def _hidden(values: Values) -> Settings:
    """Return how many times as wide networks are inside: a whole number."""
    ratio = values["mlp_ratio"]
    if isinstance(ratio, bool) or not isinstance(ratio, int | float) or ratio % 1 != 0:
        raise BadInput(
            f"mlp_ratio = {written(ratio)} is not supported: whole numbers are, as in 4.0."
        )
    return {"t": str(size("mlp_ratio", int(ratio)))}


def _whole(values: Values) -> Settings:
    """Refuse windows that are larger than an image is in some stage: the class raises on them."""
    image = Pair(("H", "W")).settings("image_size", values["image_size"])
    side, window = (size(x, values[x]) for x in ("patch_size", "window_size"))
    least = min(-(-int(image[axis]) // (side * 2 ** (STAGES - 1))) for axis in "HW")
    if least < window:
        raise BadInput(
            f"window_size = {window} does not fit image_size: in the last stage an image has "
            f"{least} rows or columns, and windows are cut to that, but the biases are not."
        )
    return {}


def _letters(kind: str) -> str:
    return "gb" if "norm" in kind else "Wb"


def every(part: str) -> tuple[str, ...]:
    """Return the weights of that name in the blocks of all stages."""
    kinds = ("pair_{}.first", "pair_{}.second", "block_{}")
    return tuple(f"{kind.format(i)}.{part}" for i in range(1, 5) for kind in kinds)


def tensors(base: str, block: dict[str, str], table: str) -> dict[str, tuple[str, ...]]:
    """Return which of our weights each tensor is, of a class whose blocks are named so."""
    layer, smaller = f"{base}encoder.layers.*.blocks.*.", f"{base}encoder.layers.*.downsample."
    both = ("weight", "bias")
    return {
        **{f"{base}embeddings.patch_embeddings.projection.{said}": (f"patches.convolution.{x}",)
           for said, x in zip(both, "Fb", strict=True)},
        **{f"{base}embeddings.norm.{said}": (f"embedding_norm.{x}",)
           for said, x in zip(both, "gb", strict=True)},
        f"{base}embeddings.position_embeddings": ("positions",),
        **{f"{layer}{theirs}.{said}": every(f"{ours}.{x}")
           for theirs, ours in block.items()
           for said, x in zip(both, _letters(ours), strict=True)},
        f"{layer}{table}": every("windows.attention.core.R"),
        f"{smaller}reduction.weight": tuple(f"merging_{i}.map.W" for i in (1, 2, 3)),
        **{f"{smaller}norm.{said}": tuple(f"merging_{i}.norm.{x}" for i in (1, 2, 3))
           for said, x in zip(both, "gb", strict=True)},
        **{f"{base}layernorm.{said}": (f"final_norm.{x}",)
           for said, x in zip(both, "gb", strict=True)},
        **HEADS,
    }  # fmt: skip


NORMS = {"layernorm_before": "norm_1", "layernorm_after": "norm_2"}
BLOCK = {
    **NORMS, **{f"attention.{x.lower()}_proj": f"windows.attention.{x}" for x in "QKVO"},
    "mlp.fc1": "feed_forward.1", "mlp.fc2": "feed_forward.2",
}  # fmt: skip
TABLE = "relative_position_bias_table"

SWIN = Family(
    "swin",
    {
        "SwinForImageClassification": Built("swin", {"head": "true"}, labels=True),
        "SwinModel": Built("swin", {"head": "false"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "image_size": Pair(("H", "W")),
        "patch_size": Square("P"),
        "embed_dim": SizeOf("C"),
        "depths": Stages("L"),
        "num_heads": Ruled(),
        "window_size": SizeOf("M"),
        "mlp_ratio": Ruled(),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        "use_absolute_embeddings": Choice("placed", BOOLS),
        "hidden_act": Acting(),
        **dict.fromkeys((
            "drop_path_rate", "initializer_range", "encoder_stride", "num_layers", "hidden_size",
            "path_norm",
        ), FREE),
        **BACKBONE,
    },
    (
        Rule(("embed_dim",), _heads), Rule((), _hidden),
        Rule(("image_size", "patch_size", "window_size"), _whole),
        given_stages(lambda values: STAGES),
    ),
    tensors("swin.", BLOCK, f"attention.relative_position_bias.{TABLE}"),
)  # fmt: skip
"""The number of stages and the last width are what the class makes of depths and embed_dim."""

OLDER = {
    **NORMS,
    **{f"attention.self.{x}": f"windows.attention.{x[0].upper()}"
       for x in ("query", "key", "value")},
    "attention.output.dense": "windows.attention.O",
    "intermediate.dense": "feed_forward.1", "output.dense": "feed_forward.2",
}  # fmt: skip
UNPLACED = Only(
    (False,), "the table of places has a row for a class vector, which images lack, and the class "
    "fails when it adds it",
)  # fmt: skip
USES = {key: use for key, use in SWIN.uses.items() if key != "encoder_stride"} | {
    "use_absolute_embeddings": UNPLACED,
}  # fmt: skip

DONUT = replace(
    SWIN, model_type="donut-swin",
    builds={
        "DonutSwinForImageClassification": Built("swin", {"head": "true"}, labels=True),
        "DonutSwinModel": Built("swin", {"head": "false"}),
    },
    uses={key: use for key, use in USES.items() if not key.startswith(("out_", "stage_"))},
    rules=SWIN.rules[:-1],
    implied={"final_norm": "false"},
    tensors={
        name: ours for name, ours in tensors("donut.", OLDER, f"attention.self.{TABLE}").items()
        if "donut.layernorm" not in name
    },
)  # fmt: skip

MASKFORMER = replace(
    SWIN, model_type="maskformer-swin",
    builds={"MaskFormerSwinModel": Built("swin", {"head": "false"})},
    uses={key: use for key, use in USES.items() if key != "num_layers"},
    rules=(*SWIN.rules[:2], SWIN.rules[-1]),
    tensors=tensors("", OLDER, f"attention.self.{TABLE}"),
)  # fmt: skip
"""It fills windows up with zeros where an image is smaller, and cuts none."""
