"""SegFormer: lists of four stages, and the width of the head that sorts every place."""

from __future__ import annotations

from symledger.arguments.specs import Only, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import maps, norms
from symledger.config_keys.family import Built, Family, Ruled
from symledger.config_keys.image_keys import UNTIED
from symledger.config_keys.pyramid_keys import LISTS, OVERLAPPING, every, four, pyramid

STAGE, LAYER = "segformer.stages.*.", "segformer.stages.*.blocks.*."

SEGFORMER = Family(
    "segformer",
    {
        "SegformerForSemanticSegmentation": Built("segformer", {"head": "places"}, labels=True),
        "SegformerForImageClassification": Built("segformer", {"head": "classes"}, labels=True),
        "SegformerModel": Built("segformer", {"head": "bare"}),
    },
    {
        **LISTS, **OVERLAPPING, "sr_ratios": Ruled(),
        "decoder_hidden_size": SizeOf("C"),
        "reshape_last_stage": Only((True,), "images would not be made of the last stage"),
        **dict.fromkeys((
            "semantic_loss_ignore_index", "initializer_range", "drop_path_rate",
            "downsampling_rates", "classifier_dropout_prob", "image_size",
        ), FREE),
        **UNTIED,
    },
    (pyramid("sr_ratios"),),
    tensors={
        **{f"{STAGE}patch_embeddings.proj.{said}": four(f"patches_{{}}.{x}")
           for said, x in (("weight", "F"), ("bias", "b"))},
        **{f"{STAGE}{theirs}.{said}": four(f"{ours}_{{}}.{x}")
           for theirs, ours in (("patch_embeddings.layer_norm", "patches_norm"),
                                ("layer_norm", "norm"))
           for said, x in (("weight", "g"), ("bias", "b"))},
        **every(LAYER, norms(
            layernorm_before="norm_1", layernorm_after="norm_2",
            attention__sequence_reduction__layer_norm="attention.norm",
        )),
        **every(LAYER, maps(
            **{f"attention__{x.lower()}_proj": f"attention.heads.{x}" for x in "QKVO"},
            mlp__fc1="feed_forward.1", mlp__fc2="feed_forward.2",
        )),
        **every(LAYER, {
            "attention.sequence_reduction.sequence_reduction.weight": ("attention.reduction.F",),
            "attention.sequence_reduction.sequence_reduction.bias": ("attention.reduction.b",),
            "mlp.dwconv.dwconv.weight": ("feed_forward.depthwise.F",),
            "mlp.dwconv.dwconv.bias": ("feed_forward.depthwise.b",),
        }),
        **{f"decode_head.linear_projections.*.proj.{said}": four(f"decoder.map_{{}}.{x}")
           for said, x in (("weight", "W"), ("bias", "b"))},
        "decode_head.linear_fuse.weight": ("decoder.fuse.convolution.F",),
        **norms(decode_head__batch_norm="decoder.fuse.norm"),
        "decode_head.classifier.weight": ("decoder.classifier.F",),
        "decode_head.classifier.bias": ("decoder.classifier.b",),
        **maps(classifier="head"),
    },
)  # fmt: skip
