"""Llama 4 with images, and its encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Settings, SizeOf, Use, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import quartered
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    decoding,
    generating,
    inner,
    lasting,
)
from symledger.config_keys.tower_keys import norm
from symledger.errors import BadInput
from symledger.models.llama4.config import LLAMA4

BLOCK = {
    **{f"self_attn.{x.lower()}_proj": f"attention.{x}" for x in "QKVO"},
    "mlp.fc1": "feed_forward.1", "mlp.fc2": "feed_forward.2",
}  # fmt: skip


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the encoder."""
    layer, block = f"{theirs}model.layers.*.", f"{ours}block."
    return {
        f"{theirs}class_embedding": (f"{ours}embedding.c",),
        f"{theirs}positional_embedding_vlm": (f"{ours}embedding.positions.P",),
        f"{theirs}patch_embedding.linear.weight": (f"{ours}embedding.patches.convolution.F",),
        **norm(f"{theirs}layernorm_pre", f"{ours}first_norm"),
        **norm(f"{theirs}layernorm_post", f"{ours}final_norm"),
        **norm(f"{layer}input_layernorm", f"{block}norm_1"),
        **norm(f"{layer}post_attention_layernorm", f"{block}norm_2"),
        **{f"{layer}{name}.{said}": (f"{block}{part}.{letter}",)
           for name, part in BLOCK.items() for said, letter in (("weight", "W"), ("bias", "b"))},
        **{f"{theirs}vision_adapter.mlp.fc{i}.weight": (f"{ours}adapter.{i}.W",) for i in (1, 2)},
    }  # fmt: skip


def _merged(values: Values) -> Settings:
    """Return how many patches make one, and how many groups of them an image has.

    Raises:
        BadInput: groups do not fill an image, or are not as wide as its networks are.
    """
    quartered(values)
    keys = ("image_size", "patch_size", "hidden_size", "intermediate_size")
    length, patch, d, wide = (size(key, values[key]) for key in keys)
    ratio = values["pixel_shuffle_ratio"]
    known = isinstance(ratio, int | float) and not isinstance(ratio, bool) and 0 < ratio <= 1
    side = round(1 / ratio) if known else 0
    if not known or abs(side * ratio - 1) > 1e-6:
        raise BadInput(
            f"pixel_shuffle_ratio = {written(ratio)} does not fit: one divided by a whole number "
            "is, such as 0.5."
        )
    groups, over = divmod(length // patch, side)
    if over or not groups:
        raise BadInput(
            f"image_size = {length} with patch_size = {patch} has {length // patch} patches a "
            f"side, which 1/pixel_shuffle_ratio = {side} does not divide. Choose an image_size "
            f"that is divisible by {patch * side}."
        )
    if wide != side**2 * d:
        raise BadInput(
            f"intermediate_size = {wide} does not fit: the vectors of {side} × {side} patches of "
            f"hidden_size = {d} are mapped. Say intermediate_size = {side**2 * d}."
        )
    given, taken = (size(f"projector_{x}_dim", values[f"projector_{x}_dim"])
                    for x in ("input", "output"))  # fmt: skip
    if given != taken:
        raise BadInput(
            f"projector_input_dim = {given} does not fit projector_output_dim = {taken}: one is "
            f"mapped to the other as wide. Say projector_input_dim = {taken}."
        )
    return {"g": str(side), "H_g": str(groups), "W_g": str(groups), "d_out": str(taken)}


RULED = (
    "image_size", "pixel_shuffle_ratio", "projector_input_dim", "projector_output_dim",
)  # fmt: skip
UNUSED = (
    "hidden_act", "projector_dropout", "vision_feature_select_strategy", "initializer_range",
    "multi_modal_projector_bias", "rope_parameters", "rope_theta", "norm_eps", "attention_dropout",
    "vision_output_dim", "vision_feature_layer",
)  # fmt: skip
KEYS: Mapping[str, Use] = {
    "num_channels": SizeOf("C_in"), "patch_size": SizeOf("P"),
    **dict.fromkeys(RULED, Ruled()), **dict.fromkeys(UNUSED, FREE),
}  # fmt: skip
READ = ("hidden_size", "intermediate_size", "num_attention_heads", "patch_size")
VISION = Family(
    "llama4_vision_model",
    {"Llama4VisionModel": Built("llama4_vision")},
    {**KEYS, "hidden_size": SizeOf("d"), "intermediate_size": SizeOf("d_ff"),
     "num_hidden_layers": SizeOf("L"), "num_attention_heads": SizeOf("h")},
    (Rule(READ, _merged),),
    image("", ""),
)  # fmt: skip
INSIDE = Family(
    "llama4_vision_model", VISION.builds,
    {**KEYS, "hidden_size": SizeOf("d_img"), "intermediate_size": SizeOf("f_img"),
     "num_hidden_layers": SizeOf("L_img"), "num_attention_heads": SizeOf("h_img")},
    (Rule(READ, _merged),),
)  # fmt: skip
DECODER = decoding(LLAMA4)
TEXT = replace(DECODER, uses={**DECODER.uses, **TIED})
"""The class holds a whole decoder with its head, which the part alone ties."""


def _fitting(values: Values) -> Settings:
    """Return how long a sequence is where nothing is said.

    Raises:
        BadInput: the encoder does not give what the last map takes.
    """
    given, taken = (inner(values, "vision_config", INSIDE, key)
                    for key in ("projector_output_dim", "vision_output_dim"))  # fmt: skip
    if given != taken:
        raise BadInput(
            f"vision_config.projector_output_dim = {written(given)} does not fit vision_output_dim "
            f"= {written(taken)}, from which one more map leads on. Say vision_output_dim = "
            f"{written(given)}."
        )
    seen = {key: inner(values, "vision_config", INSIDE, key) for key in (*READ, *RULED)}
    return lasting(values, TEXT, int(_merged(seen)["H_g"]) ** 2)


LLAMA4_VISION = Family(
    "llama4",
    {name: built for name, built in generating("llama4_vl", "Llama4").items()
     if "Model" not in name},
    {"tie_word_embeddings": FREE, "vocab_size": FREE},
    (Rule((), _fitting),),
    {
        **{f"language_model.{name}": ours for name, ours in LLAMA4.tensors.items()},
        **image("vision_model.", "tower."),
        "multi_modal_projector.linear_1.weight": ("projector.W",),
    },
    implied=ONE_IMAGE,
    parts={"text_config": TEXT, "vision_config": INSIDE},
)  # fmt: skip
