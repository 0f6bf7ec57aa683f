"""YOLOS: ViT's keys, and how many objects are looked for."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.encoder_keys import maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.config_keys.image_keys import UNTIED, Pair
from symledger.errors import BadInput


def _whole(values: Values) -> Settings:
    """Refuse heads that do not divide the width, and images that patches do not fill.

    The class makes as many positions between layers as pixels would fill.
    """
    head_width(values)
    image = Pair(("H", "W")).settings("image_size", values["image_size"])
    H, W, P = int(image["H"]), int(image["W"]), values["patch_size"]
    if values["use_mid_position_embeddings"] and H * W // P**2 != (H // P) * (W // P):
        raise BadInput(
            f"image_size = [{H}, {W}] does not fit patch_size = {P}: there would be another number "
            "of positions between layers than there are patches, and the class fails."
        )
    return {}


LAYER = {
    **norms(layernorm_before="norm_1", layernorm_after="norm_2"),
    **maps(**{f"attention__attention__{x}": f"attention.{x[0].upper()}"
              for x in ("query", "key", "value")},
           attention__output__dense="attention.O",
           intermediate__dense="feed_forward.1", output__dense="feed_forward.2"),
}  # fmt: skip

YOLOS = Family(
    "yolos",
    {
        "YolosForObjectDetection": Built("yolos", {"head": "boxes"}, labels=True),
        "YolosModel": Built("yolos", {"head": "pooled"}),
    },
    {
        "hidden_size": SizeOf("d"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "intermediate_size": SizeOf("d_ff"),
        "hidden_act": Acting(),
        "image_size": Pair(("H", "W")),
        "patch_size": SizeOf("P"),
        "num_channels": SizeOf("C_in"),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        "num_detection_tokens": SizeOf("n_q"),
        "use_mid_position_embeddings": Choice("placed", BOOLS),
        **dict.fromkeys((
            "initializer_range", "auxiliary_loss", "class_cost", "bbox_cost", "giou_cost",
            "bbox_loss_coefficient", "giou_loss_coefficient", "eos_coefficient",
        ), FREE),
        **UNTIED,
    },
    (Rule(("hidden_size", "num_attention_heads", "image_size", "patch_size",
           "use_mid_position_embeddings"), _whole),),
    tensors={
        "vit.embeddings.cls_token": ("embedding.c",),
        "vit.embeddings.detection_tokens": ("embedding.Q",),
        "vit.embeddings.position_embeddings": ("embedding.positions.P",),
        "vit.embeddings.patch_embeddings.projection.weight": ("embedding.patches.convolution.F",),
        "vit.embeddings.patch_embeddings.projection.bias": ("embedding.patches.convolution.b",),
        **{name: (f"block.{part}", f"placed.block.{part}")
           for name, (part,) in under("vit.encoder.layer.*.", "", LAYER).items()},
        "vit.encoder.interpolation.mid_position_embeddings": ("placed.positions.P",),
        **norms(vit__layernorm="final_norm"), **maps(vit__pooler__dense="pooler.map"),
        **{f"{theirs}.layers.*.{said}": tuple(f"boxes.{ours}.{i}.{x}" for i in (1, 2, 3))
           for theirs, ours in (("class_labels_classifier", "classes"), ("bbox_predictor", "box"))
           for said, x in (("weight", "W"), ("bias", "b"))},
    },
)  # fmt: skip
