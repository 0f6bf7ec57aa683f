"""Ovis2: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, head_width
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    TOWER,
    decoding,
    generating,
    grid,
    inner,
    within,
)
from symledger.errors import BadInput
from symledger.models.qwen2.config import QWEN2

MAPS = {
    **{f"attention.{x}_proj": f"attention.{y}" for x, y in zip(("q", "k", "v", "out"), "QKVO",
                                                              strict=True)},
    **{f"ffn.{x}_proj": f"feed_forward.{x}" for x in ("gate", "up", "down")},
}  # fmt: skip


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the encoder."""
    start, layer = f"{theirs}transformer.embeddings.", f"{theirs}transformer.encoder.layers.*."
    return {
        f"{start}patch_embedding.weight": (f"{ours}patches.convolution.F",),
        f"{start}patch_embedding.bias": (f"{ours}patches.convolution.b",),
        f"{start}position_embedding.weight": (f"{ours}positions.P",),
        f"{start}rms_norm.weight": (f"{ours}first_norm.g",),
        **{f"{layer}{name}.{said}": (f"{ours}block.{part}.{letter}",)
           for name, part in MAPS.items() for said, letter in (("weight", "W"), ("bias", "b"))},
        **{f"{layer}rms_norm{i}.weight": (f"{ours}block.norm_{i}.g",) for i in (1, 2)},
        f"{theirs}transformer.rms_norm.weight": (f"{ours}norm.g",),
        f"{theirs}head_linear.weight": (f"{ours}head.W",),
        f"{theirs}head_norm.weight": (f"{ours}head_norm.g",),
        f"{theirs}head_norm.bias": (f"{ours}head_norm.b",),
    }  # fmt: skip


def _square(values: Values) -> Settings:
    """Return how many groups of patches an image has.

    Raises:
        BadInput: it is no square, or groups do not fill it.
    """
    keys = ("hidden_size", "num_attention_heads")
    head_width({k: size(k, values[k]) for k in keys})
    side = size("image_size", values["image_size"])
    patch, group = (size(key, values[key]) for key in ("patch_size", "hidden_stride"))
    if side // patch == 0 or side // patch % group:
        raise BadInput(
            f"image_size = {side} with patch_size = {patch} has {side // patch} patches a side, "
            f"which hidden_stride = {group} does not divide. Choose an image_size that is "
            f"divisible by {patch * group}."
        )
    groups = str(side // patch // group)
    every, some = (size(k, values[k]) for k in ("vocab_size", "num_visual_indicator_tokens"))
    if some >= every:
        raise BadInput(
            f"num_visual_indicator_tokens = {some} does not fit: of vocab_size = {every} visual "
            "words there have to be some that images are made of."
        )
    return {"H_g": groups, "W_g": groups}


USES: Mapping[str, Use] = {
    "hidden_size": SizeOf("d"),
    "intermediate_size": SizeOf("d_ff"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "num_channels": SizeOf("C_in"),
    "patch_size": SizeOf("P"),
    "hidden_act": Acting(),
    "hidden_stride": SizeOf("g"),
    "vocab_size": SizeOf("V_img"),
    "num_visual_indicator_tokens": SizeOf("N_ind"),
    "image_size": Ruled(),
    "qkv_bias": Choice("qkv_bias", BOOLS),
    "mlp_bias": Choice("mlp_bias", BOOLS),
    "tokenize_function": Only(("softmax",), "what is seen is a mean of visual words"),
    "attention_dropout": FREE,
}
READ = Rule((
    "hidden_size", "num_attention_heads", "patch_size", "hidden_stride", "vocab_size",
    "num_visual_indicator_tokens",
), _square)  # fmt: skip
VISION = Family(
    "ovis2_vision", {"Ovis2VisionModel": Built("ovis_vision")}, USES, (READ,), image("", "")
)
INSIDE = replace(VISION, uses={
    **USES, **{k: use for k, use in TOWER.items() if k in USES and k != "vocab_size"},
    "qkv_bias": Choice("image_qkv_bias", BOOLS), "mlp_bias": Choice("image_mlp_bias", BOOLS),
})  # fmt: skip
TEXT = decoding(QWEN2)


def _wide(values: Values) -> Settings:
    """Return how long a sequence is where nothing is said.

    Raises:
        BadInput: the head, or what is seen, does not fit the decoder.
    """
    for key in ("hidden_size", *(["vocab_size"] if values["tie_word_embeddings"] is False else [])):
        meant = inner(values, "text_config", TEXT, key)
        if values[key] != meant:
            raise BadInput(
                f"{key} = {written(values[key])} does not fit text_config.{key} = {meant}: the "
                f"class makes the head and the table of visual words by the former. Say {key} = "
                f"{meant}."
            )
    group = size("hidden_stride", inner(values, "vision_config", INSIDE, "hidden_stride"))
    cut = grid(values, TEXT, INSIDE, "g", group, "hidden_stride")
    return {"T": cut["T"]}


OVIS2 = Family(
    "ovis2",
    generating("ovis2", "Ovis2"),
    {
        **TIED, "hidden_size": Ruled(), "vocab_size": Ruled(), "visual_indicator_token_ids": FREE,
    },
    (Rule((), _wide),),
    {
        **within("model.language_model.", DENSE), **image("model.vision_tower.", "tower."),
        "model.visual_embeddings_table.weight": ("visual_table.W",),
    },
    implied=ONE_IMAGE, parts={"text_config": TEXT, "vision_config": INSIDE},
)  # fmt: skip
