"""Masked autoencoders: ViT's keys, those of a decoder, and how many patches are hidden."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Free, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import floored_width
from symledger.config_keys.encoder_keys import maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED
from symledger.errors import BadInput


def _seen(values: Values) -> Settings:
    """Return how many patches are seen, as the class counts them: rounded down."""
    image, side = (size(key, values[key]) for key in ("image_size", "patch_size"))
    ratio = values["mask_ratio"]
    if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 < ratio < 1:
        raise BadInput(f"mask_ratio = {written(ratio)} does not fit: a number between 0 and 1 is.")
    if image % side:
        raise BadInput(
            f"image_size = {image} does not divide into patches of patch_size = {side}: the class "
            "that draws them refuses it."
        )
    patches = (image // side) ** 2
    seen = int(patches * (1 - ratio))
    if seen == 0:
        raise BadInput(
            f"mask_ratio = {written(ratio)} does not fit: none of {patches} patches would be seen."
        )
    return {"H": str(image), "W": str(image), "P": str(side), "T_s": str(seen)}


def _heads(values: Values) -> Settings:
    """Return how wide heads are, as wide as they can be beside each other."""
    for key in ("hidden_size", "decoder_hidden_size"):
        if values[key] % 4:
            raise BadInput(
                f"{key} = {values[key]} does not fit: a quarter of it each are sines and cosines "
                "of rows and of columns."
            )
    drawn = {"hidden_size": values["decoder_hidden_size"],
             "num_attention_heads": values["decoder_num_attention_heads"]}  # fmt: skip
    return {"d_h": str(floored_width(values)), "d_hd": str(floored_width(drawn))}


LAYER = {
    **norms(layernorm_before="norm_1", layernorm_after="norm_2"),
    **maps(**{f"attention__{x.lower()}_proj": f"attention.{x}" for x in "QKVO"},
           mlp__fc1="feed_forward.1", mlp__fc2="feed_forward.2"),
}  # fmt: skip

VIT_MAE = Family(
    "vit_mae",
    {
        "ViTMAEForPreTraining": Built("vit_mae", {"drawn": "true"}),
        "ViTMAEModel": Built("vit_mae", {"drawn": "false"}),
    },
    {
        "hidden_size": SizeOf("d"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "intermediate_size": SizeOf("d_ff"),
        "hidden_act": Acting(),
        "num_channels": SizeOf("C_in"),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        "decoder_hidden_size": SizeOf("d_drw"),
        "decoder_num_hidden_layers": SizeOf("L_dec"),
        "decoder_num_attention_heads": SizeOf("h_dec"),
        "decoder_intermediate_size": SizeOf("d_dec"),
        **dict.fromkeys(("image_size", "patch_size", "mask_ratio"), Ruled()),
        "norm_pix_loss": Free((bool,)),
        "initializer_range": FREE,
        **UNTIED,
    },
    (
        Rule((), _seen),
        Rule(("hidden_size", "num_attention_heads", "decoder_hidden_size",
              "decoder_num_attention_heads"), _heads),
    ),
    tensors={
        "vit.embeddings.cls_token": ("c",),
        "vit.embeddings.position_embeddings": ("positions",),
        "vit.embeddings.patch_embeddings.projection.weight": ("patches.convolution.F",),
        "vit.embeddings.patch_embeddings.projection.bias": ("patches.convolution.b",),
        **under("vit.layers.*.", "block.", LAYER),
        **norms(vit__layernorm="final_norm"),
        "decoder.mask_token": ("m",),
        "decoder.decoder_pos_embed": ("drawn_positions",),
        **under("decoder.decoder_layers.*.", "decoder.", LAYER),
        **maps(decoder__decoder_embed="narrowing", decoder__decoder_pred="pixels"),
        **norms(decoder__decoder_norm="decoder_norm"),
    },
)  # fmt: skip
