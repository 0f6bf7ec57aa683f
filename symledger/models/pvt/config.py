"""Pyramid vision transformers, the first and the second: lists of four stages."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Only, SizeOf
from symledger.config_keys.backbone_keys import given_stages
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import maps, norms
from symledger.config_keys.family import Built, Family, Ruled
from symledger.config_keys.image_keys import BACKBONE, UNTIED, Pair
from symledger.config_keys.pyramid_keys import LISTS, OVERLAPPING, every, four, pyramid, windows

NORMS = norms(layer_norm_1="norm_1", layer_norm_2="norm_2")
FIRST, SECOND = "pvt.encoder.", "pvt_v2.encoder.layers.*."
USES = {
    **LISTS,
    "qkv_bias": Choice("qkv_bias", BOOLS),
    **dict.fromkeys(("initializer_range", "drop_path_rate"), FREE),
}

PVT = Family(
    "pvt",
    {
        "PvtForImageClassification": Built("pvt", {"head": "classes"}, labels=True),
        "PvtModel": Built("pvt", {"head": "bare"}),
    },
    {
        **USES, **windows((4, 2, 2, 2), (4, 2, 2, 2)), "sequence_reduction_ratios": Ruled(),
        "image_size": SizeOf("H", ("W",)),
        **UNTIED,
    },
    (pyramid("sequence_reduction_ratios", whole=True),),
    tensors={
        f"{FIRST}patch_embeddings.*.position_embeddings": four("positions_{}"),
        f"{FIRST}patch_embeddings.*.cls_token": ("c",),
        **{f"{FIRST}patch_embeddings.*.{theirs}.{said}": four(f"{ours}_{{}}.{x}")
           for theirs, ours, letters in (("projection", "patches", "Fb"),
                                         ("layer_norm", "patches_norm", "gb"))
           for said, x in zip(("weight", "bias"), letters, strict=True)},
        **every(f"{FIRST}block.*.*.", {
            **NORMS,
            **maps(
                **{f"attention__self__{x}": f"attention.heads.{x[0].upper()}"
                   for x in ("query", "key", "value")},
                attention__output__dense="attention.heads.O",
                mlp__dense1="feed_forward.1", mlp__dense2="feed_forward.2",
            ),
            "attention.self.sequence_reduction.weight": ("attention.reduction.F",),
            "attention.self.sequence_reduction.bias": ("attention.reduction.b",),
            **norms(attention__self__layer_norm="attention.norm"),
        }),
        **norms(pvt__encoder__layer_norm="final_norm"), **maps(classifier="head"),
    },
    classes=1000,
)  # fmt: skip

PVT_V2 = Family(
    "pvt_v2",
    {
        "PvtV2ForImageClassification": Built("pvt_v2", {"head": "classes"}, labels=True),
        "PvtV2Model": Built("pvt_v2", {"head": "bare"}),
    },
    {
        **USES, **OVERLAPPING, "sr_ratios": Ruled(),
        "image_size": Pair(("H", "W")),
        "linear_attention": Only((False,), "keys would be made of means of places"),
        **BACKBONE,
    },
    (pyramid("sr_ratios"), given_stages(lambda values: 4, stem=False)),
    tensors={
        **{f"{SECOND}patch_embedding.proj.{said}": four(f"patches_{{}}.{x}")
           for said, x in (("weight", "F"), ("bias", "b"))},
        **{f"{SECOND}{theirs}.{said}": four(f"{ours}_{{}}.{x}")
           for theirs, ours in (("patch_embedding.layer_norm", "patches_norm"),
                                ("layer_norm", "norm"))
           for said, x in (("weight", "g"), ("bias", "b"))},
        **every(f"{SECOND}blocks.*.", {
            **NORMS,
            **maps(
                **{f"attention__{x}": f"attention.heads.{x[0].upper()}"
                   for x in ("query", "key", "value")},
                attention__proj="attention.heads.O",
                mlp__dense1="feed_forward.1", mlp__dense2="feed_forward.2",
            ),
            "attention.spatial_reduction.weight": ("attention.reduction.F",),
            "attention.spatial_reduction.bias": ("attention.reduction.b",),
            **norms(attention__layer_norm="attention.norm"),
            "mlp.dwconv.dwconv.weight": ("feed_forward.depthwise.F",),
            "mlp.dwconv.dwconv.bias": ("feed_forward.depthwise.b",),
        }),
        **maps(classifier="head"),
    },
)  # fmt: skip
