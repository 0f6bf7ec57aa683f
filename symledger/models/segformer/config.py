"""SegFormer, and PVT v2, whose stages are the same."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import given_stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import BACKBONE, STAGES, UNTIED, Pair, Stages, staged
from symledger.errors import BadInput


def _heads(values: Values) -> Settings:
    """Return the heads of each stage, which have to divide its width."""
    widths = staged("hidden_sizes", values["hidden_sizes"])
    heads = staged("num_attention_heads", values["num_attention_heads"])
    for i, (width, number) in enumerate(zip(widths, heads, strict=True)):
        if number == 0 or width % number:
            raise BadInput(
                f"num_attention_heads[{i}] = {number} does not fit: stage {i + 1} is {width} wide, "
                "and so many heads do not divide it."
            )
    return {f"h_{i}": str(number) for i, number in enumerate(heads, start=1)}


def _squares(values: Values) -> Settings:
    """Return the squares that places see: in the last stage, places themselves."""
    *squares, last = staged("sr_ratios", values["sr_ratios"])
    if last != 1 or min(squares) < 2:
        raise BadInput(
            f"sr_ratios = {written(values['sr_ratios'])} is not supported: three above 1 are, and "
            "1 for the last stage, as in [8, 4, 2, 1]."
        )
    return {f"R_{i}": str(number) for i, number in enumerate(squares, start=1)}


def _patches(values: Values) -> Settings:
    """Return the squares of the first stage and how far apart they are; others are of 3 × 3."""
    side, *sides = staged("patch_sizes", values["patch_sizes"])
    stride, *strides = staged("strides", values["strides"])
    if sides != [3, 3, 3] or side % 2 == 0:
        raise BadInput(
            f"patch_sizes = {written(values['patch_sizes'])} is not supported: an odd one and "
            "three times 3 are, as in [7, 3, 3, 3]."
        )
    if strides != [2, 2, 2]:
        raise BadInput(
            f"strides = {written(values['strides'])} is not supported: one and three times 2 are, "
            "as in [4, 2, 2, 2]."
        )
    return {"K": str(side), "P": str(stride)}


def _four(values: Values) -> Settings:
    return Only((STAGES,)).settings("num_encoder_blocks", values["num_encoder_blocks"])


def every(part: str, stages: int = STAGES) -> tuple[str, ...]:
    """Return the weights of that name in the blocks of all stages."""
    return tuple(f"block_{i}.{part}" for i in range(1, stages + 1))


def tensors(
    stage: str, block: dict[str, str], patches: str, reduction: dict[str, str]
) -> dict[str, tuple[str, ...]]:  # fmt: skip
    """Return which of our weights each tensor of the stages is, named so."""
    layer, both = f"{stage}.blocks.*.", ("weight", "bias")
    numbers = range(1, STAGES + 1)
    return {
        **{f"{stage}.{patches}.proj.{said}": tuple(f"patches_{i}.convolution.{x}" for i in numbers)
           for said, x in zip(both, "Fb", strict=True)},
        **{f"{stage}.{patches}.layer_norm.{said}": tuple(f"patches_{i}.norm.{x}" for i in numbers)
           for said, x in zip(both, "gb", strict=True)},
        **{f"{layer}{theirs}.{said}": every(f"{ours}.{x}")
           for theirs, ours in block.items()
           for said, x in zip(both, "gb" if "norm" in ours else
                              "Fb" if "depthwise" in ours else "Wb", strict=True)},
        **{f"{layer}{theirs}.{said}": every(f"attention.{ours}.{x}", STAGES - 1)
           for theirs, ours in reduction.items()
           for said, x in zip(both, "gb" if ours == "norm" else "Fb", strict=True)},
        **{f"{stage}.layer_norm.{said}": tuple(f"norm_{i}.{x}" for i in numbers)
           for said, x in zip(both, "gb", strict=True)},
        **HEADS,
    }  # fmt: skip


HEAD = {
    **{f"decode_head.linear_projections.*.proj.{said}": tuple(f"map_{i}.{x}" for i in range(1, 5))
       for said, x in (("weight", "W"), ("bias", "b"))},
    "decode_head.linear_fuse.weight": ("fusion.convolution.F",),
    "decode_head.batch_norm.weight": ("fusion.norm.g",),
    "decode_head.batch_norm.bias": ("fusion.norm.b",),
    "decode_head.classifier.weight": ("classifier.F",),
    "decode_head.classifier.bias": ("classifier.b",),
}  # fmt: skip
SEGFORMER = Family(
    "segformer",
    {
        "SegformerForSemanticSegmentation": Built(
            "segformer", {"head": "segments"}, labels=True,
            uses={"reshape_last_stage": Only((True,), "the head reads other axes without it")},
        ),
        "SegformerForImageClassification": Built("segformer", {"head": "classes"}, labels=True),
        "SegformerModel": Built("segformer", {"head": "bare"}),
    },
    {
        "num_channels": SizeOf("C_in"),
        "num_encoder_blocks": Ruled(),
        "depths": Stages("L"),
        "hidden_sizes": Stages("C"),
        "mlp_ratios": Stages("t"),
        "hidden_act": Acting(),
        "decoder_hidden_size": SizeOf("d_proj"),
        **dict.fromkeys(("num_attention_heads", "sr_ratios", "patch_sizes", "strides"), Ruled()),
        **dict.fromkeys((
            "reshape_last_stage", "drop_path_rate", "initializer_range", "image_size",
            "downsampling_rates", "semantic_loss_ignore_index",
        ), FREE),
        **UNTIED,
    },
    (
        Rule(("hidden_sizes",), _heads), Rule((), _squares), Rule((), _patches), Rule((), _four),
    ),
    {
        **tensors(
            "segformer.stages.*",
            {
                "layernorm_before": "norm_1", "layernorm_after": "norm_2",
                **{f"attention.{x.lower()}_proj": f"attention.{x}" for x in "QKVO"},
                "mlp.fc1": "feed_forward.1", "mlp.dwconv.dwconv": "feed_forward.depthwise",
                "mlp.fc2": "feed_forward.2",
            },
            "patch_embeddings",
            {"attention.sequence_reduction.sequence_reduction": "reduction",
             "attention.sequence_reduction.layer_norm": "norm"},
        ),
        **HEAD,
    },
)  # fmt: skip
"""Images may be of any size: no table has a row for a place. Older files name one all the same."""

PVT_V2 = replace(
    SEGFORMER, model_type="pvt_v2",
    builds={
        "PvtV2ForImageClassification": Built("segformer", {"head": "classes"}, labels=True),
        "PvtV2Model": Built("segformer", {"head": "bare"}),
    },
    uses={
        **{key: use for key, use in SEGFORMER.uses.items() if key not in (
            "decoder_hidden_size", "reshape_last_stage", "downsampling_rates",
            "semantic_loss_ignore_index")},
        "image_size": Pair(("H", "W")),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        "linear_attention": Only((False,), "it pools places before they are seen"),
        **BACKBONE,
    },
    rules=(*SEGFORMER.rules, given_stages(lambda values: STAGES)),
    tensors=tensors(
        "pvt_v2.encoder.layers.*",
        {
            "layer_norm_1": "norm_1", "layer_norm_2": "norm_2",
            **{f"attention.{x}": f"attention.{x[0].upper()}" for x in ("query", "key", "value")},
            "attention.proj": "attention.O",
            "mlp.dense1": "feed_forward.1", "mlp.dwconv.dwconv": "feed_forward.depthwise",
            "mlp.dense2": "feed_forward.2",
        },
        "patch_embedding",
        {"attention.spatial_reduction": "reduction", "attention.layer_norm": "norm"},
    ),
)  # fmt: skip
