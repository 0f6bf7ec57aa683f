"""AIMv2: the encoder's keys, and whether one vector is made of all."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, among
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DIVIDED
from symledger.config_keys.encoder_keys import LINEAR, Tensors
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED
from symledger.errors import BadInput

MAPS = {
    **{f"attention.{x}_proj": f"attention.{y}"
       for x, y in zip(("q", "k", "v", "out"), "QKVO", strict=True)},
    **{f"ffn.{x}_proj": f"feed_forward.{x}" for x in ("gate", "up", "down")},
}  # fmt: skip
HEAD = {"k_proj": "K", "v_proj": "V", "output_proj": "O"}


def _native(values: Values) -> Settings:
    """Say how places are told; sines and cosines have a quarter of the width each."""
    native = among("is_native", values["is_native"], tuple(BOOLS))
    if native and values["hidden_size"] % 4:
        raise BadInput(
            f"hidden_size = {values['hidden_size']} does not fit: a quarter of it each are sines "
            "and cosines of rows and of columns."
        )
    return {"native": BOOLS[native]}


TENSORS: Tensors = {
    "embeddings.patch_embed.weight": ("patches.convolution.F",),
    "embeddings.patch_embed.bias": ("patches.convolution.b",),
    "embeddings.position_embedding.weight": ("positions.P",),
    "embeddings.rms_norm.weight": ("first_norm.g",),
    **{f"encoder.layers.*.{name}.{said}": (f"block.{part}.{letter}",)
       for name, part in MAPS.items() for said, letter in LINEAR},
    **{f"encoder.layers.*.rms_norm{i}.weight": (f"block.norm_{i}.g",) for i in (1, 2)},
    "rms_norm.weight": ("final_norm.g",),
    "head.cls_token": ("c",),
    **{f"head.{name}.{said}": (f"{part}.{letter}",)
       for name, part in HEAD.items() for said, letter in LINEAR},
}  # fmt: skip

AIMV2 = Family(
    "aimv2_vision_model",
    {"Aimv2VisionModel": Built("aimv2")},
    {
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "num_channels": SizeOf("C_in"),
        "image_size": SizeOf("H", ("W",)),
        "patch_size": SizeOf("P"),
        "hidden_act": Acting(),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        "mlp_bias": Choice("mlp_bias", BOOLS),
        "use_head": Choice("pooled", BOOLS),
        "is_native": Ruled(),
        "initializer_range": FREE,
        **UNTIED,
    },
    (DIVIDED, Rule(("hidden_size",), _native)),
    tensors=TENSORS,
)
