"""TimeSformer: ViT's keys, how many frames there are, and what a patch attends to."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, SizeOf
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DIVIDED, HEADS
from symledger.config_keys.encoder_keys import maps, norms, under
from symledger.config_keys.family import Built, Family
from symledger.config_keys.image_keys import UNTIED

KINDS: Mapping[object, str] = {
    "divided_space_time": "divided", "joint_space_time": "joint", "space_only": "space",
}  # fmt: skip
SPLIT = (("weight", "W"), ("bias", "b"))
LAYER = {
    **norms(layernorm_before="norm_1", layernorm_after="norm_2",
            temporal_layernorm="temporal_norm"),
    **maps(attention__output__dense="attention.O", temporal_dense="temporal_map",
           temporal_attention__output__dense="temporal_attention.O",
           intermediate__dense="feed_forward.1", output__dense="feed_forward.2"),
    **{f"{part}.attention.qkv.{said}": tuple(f"{part}.{map_}.{x}" for map_ in "QKV")
       for part in ("attention", "temporal_attention") for said, x in SPLIT},
}  # fmt: skip

TIMESFORMER = Family(
    "timesformer",
    {
        "TimesformerForVideoClassification": Built("timesformer", {"head": "true"}, labels=True),
        "TimesformerModel": Built("timesformer", {"head": "false"}),
    },
    {
        "hidden_size": SizeOf("d"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "intermediate_size": SizeOf("d_ff"),
        "hidden_act": Acting(),
        "image_size": SizeOf("H", ("W",)),
        "patch_size": SizeOf("P"),
        "num_channels": SizeOf("C_in"),
        "num_frames": SizeOf("D"),
        "attention_type": Choice("attention", KINDS),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        "drop_path_rate": FREE,
        "initializer_range": FREE,
        **UNTIED,
    },
    (DIVIDED,),
    tensors={
        "timesformer.embeddings.cls_token": ("c",),
        "timesformer.embeddings.position_embeddings": ("positions",),
        "timesformer.embeddings.time_embeddings": ("times",),
        "timesformer.embeddings.patch_embeddings.projection.weight": ("patches.convolution.F",),
        "timesformer.embeddings.patch_embeddings.projection.bias": ("patches.convolution.b",),
        **under("timesformer.encoder.layer.*.", "block.", LAYER),
        **norms(timesformer__layernorm="final_norm"),
        **HEADS,
    },
)  # fmt: skip
"""Sides of images and of patches are one number each: layers divide one by the other."""
