"""Vision Transformer."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Unless, Values
from symledger.config_keys.image_keys import UNTIED, Pair, Square
from symledger.errors import BadInput

BLOCK = {
    "layernorm_before": "norm_1", "layernorm_after": "norm_2",
    "attention.q_proj": "attention.Q", "attention.k_proj": "attention.K",
    "attention.v_proj": "attention.V", "attention.o_proj": "attention.O",
    "mlp.fc1": "feed_forward.1", "mlp.fc2": "feed_forward.2",
}  # fmt: skip

def _hidden(values: Values) -> Settings:
    """Refuse images that could not be made of squares again: the class raises on them."""
    side, stride = (size(x, values[x]) for x in ("patch_size", "encoder_stride"))
    if side != stride:
        raise BadInput(
            f"encoder_stride = {stride} does not fit patch_size = {side}: an image is made of "
            "squares as large as those that were hidden."
        )
    image = size("image_size", values["image_size"])
    if image % side:
        raise BadInput(
            f"image_size = {image} does not divide into patches of patch_size = {side}: what is "
            "made of them would be no image of that size."
        )
    return {}


VIT = Family(
    "vit",
    {
        "ViTForImageClassification": Built("vit", {"head": "classes"}, labels=True),
        "ViTModel": Built("vit", {"head": "pooled"}),
        "ViTForMaskedImageModeling": Built(
            "vit", {"head": "pixels"}, rules=(Rule((), _hidden),)
        ),
    },
    {
        "hidden_size": SizeOf("d"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "head_dim": SizeOf("d_h"),
        "intermediate_size": SizeOf("d_ff"),
        "hidden_act": Acting(),
        "image_size": Pair(("H", "W")),
        "patch_size": Square("P"),
        "num_channels": SizeOf("C_in"),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        "pooler_output_size": Unless(SizeOf("d_out")),
        "pooler_act": Acting("pooled_by", learned=False),
        "encoder_stride": FREE,
        "initializer_range": FREE,
        **UNTIED,
    },
    tensors={
        "vit.embeddings.cls_token": ("embedding.c",),
        "vit.embeddings.mask_token": ("embedding.m",),
        "decoder.*.weight": ("pixels.W",),
        "decoder.*.bias": ("pixels.b",),
        "vit.embeddings.position_embeddings": ("embedding.positions.P",),
        "vit.embeddings.patch_embeddings.projection.weight": ("embedding.patches.convolution.F",),
        "vit.embeddings.patch_embeddings.projection.bias": ("embedding.patches.convolution.b",),
        **{
            f"vit.layers.*.{theirs}.{kind}": (f"block.{ours}.{letters[theirs[:2] == 'la']}",)
            for theirs, ours in BLOCK.items()
            for kind, letters in (("weight", "Wg"), ("bias", "bb"))
        },
        "vit.layernorm.weight": ("final_norm.g",),
        "vit.layernorm.bias": ("final_norm.b",),
        "vit.pooler.dense.weight": ("pooler.map.W",),
        "vit.pooler.dense.bias": ("pooler.map.b",),
        **HEADS,
    },
)

VIT_MSN = replace(
    VIT, model_type="vit_msn",
    builds={
        "ViTMSNForImageClassification": VIT.builds["ViTForImageClassification"],
        "ViTMSNModel": Built("vit", {"head": "bare"}),
    },
    uses={key: use for key, use in VIT.uses.items()
          if key not in ("pooler_output_size", "pooler_act", "encoder_stride")},
)  # fmt: skip
