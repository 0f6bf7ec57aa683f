"""InternVL: its encoder, and decoders of several types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, head_width
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import Square, cut
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    TOWER,
    decoding,
    generating,
    grid,
    within,
)
from symledger.errors import BadInput
from symledger.models.llama.config import LLAMA
from symledger.models.qwen2.config import QWEN2
from symledger.models.qwen3.config import QWEN3

PARTS = {
    "layernorm_before": "norm_1", "layernorm_after": "norm_2",
    **{f"attention.{x.lower()}_proj": f"attention.{x}" for x in "QKV"},
    **{f"attention.{x.lower()}_norm": f"attention.norm_{x}" for x in "QK"},
    "attention.projection_layer": "attention.O", "mlp.fc1": "feed_forward.1",
    "mlp.fc2": "feed_forward.2",
}  # fmt: skip


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the encoder."""
    return {
        f"{theirs}embeddings.cls_token": (f"{ours}embedding.c",),
        f"{theirs}embeddings.mask_token": (f"{ours}m",),
        f"{theirs}embeddings.position_embeddings": (f"{ours}embedding.positions.P",),
        f"{theirs}embeddings.patch_embeddings.projection.weight": (
            f"{ours}embedding.patches.convolution.F",),
        f"{theirs}embeddings.patch_embeddings.projection.bias": (
            f"{ours}embedding.patches.convolution.b",),
        f"{theirs}layernorm.weight": (f"{ours}final_norm.g",),
        f"{theirs}layernorm.bias": (f"{ours}final_norm.b",),
        **{f"{theirs}encoder.layer.*.lambda_{i}": (f"{ours}block.g_{i}",) for i in (1, 2)},
        **{
            f"{theirs}encoder.layer.*.{name}.{said}": (
                f"{ours}block.{part}.{'g' if y == 'W' and 'norm' in part else y}",)
            for name, part in PARTS.items() for said, y in (("weight", "W"), ("bias", "b"))
        },
    }  # fmt: skip


def _cut(values: Values) -> Settings:
    """Return how many patches an image has; one that is smaller than a patch has none."""
    side = int(Square("P").settings("patch_size", values["patch_size"])["P"])
    return cut("image_size", values["image_size"], side)


def _divided(values: Values) -> Settings:
    """Refuse heads that do not divide the width."""
    head_width({k: size(k, values[k]) for k in ("hidden_size", "num_attention_heads")})
    return {}


KEYS = {
    "image_size": Ruled(),
    "patch_size": Square("P"),
    "attention_bias": Choice("qkv_bias", BOOLS),
    "use_absolute_position_embeddings": Only((True,), "a table of places is learned"),
    "use_mask_token": Choice("hiding", BOOLS),
    **dict.fromkeys(("layer_scale_init_value", "drop_path_rate"), FREE),
    "vocab_size": FREE,
}
NORMS: Mapping[object, str] = {"layer_norm": "false", "rms_norm": "true"}
MEAN: Mapping[object, str] = {True: "false", False: "true"}
VISION = Family(
    "internvl_vision",
    {"InternVLVisionModel": Built("intern_vision")},
    {
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "num_channels": SizeOf("C_in"),
        "hidden_act": Acting(),
        "use_qk_norm": Choice("qk_norm", BOOLS),
        "norm_type": Choice("rms", NORMS),
        "use_mean_pooling": Choice("normed", MEAN),
        **KEYS,
    },
    (Rule(("hidden_size",), _cut), Rule((), _divided)),
    image("", ""),
)
INSIDE = replace(VISION, uses={
    **VISION.uses, **TOWER, **KEYS,
    "use_qk_norm": Choice("image_qk_norm", BOOLS),
    "norm_type": Choice("image_rms", NORMS),
    "use_mean_pooling": Choice("image_normed", MEAN),
}, rules=(Rule((), _divided),))  # fmt: skip
TEXTS = {name: {"text_model": name} for name in ("qwen2", "qwen3", "llama")}
PLAIN = {
    "attention_bias": Only((False,), "derived are decoders without"), "mlp_bias": Only((False,)),
}  # fmt: skip
QWEN3_TEXT = replace(QWEN3, uses={**QWEN3.uses, "attention_bias": PLAIN["attention_bias"]})
LLAMA_TEXT = replace(LLAMA, uses={**LLAMA.uses, **PLAIN}, implied={"windows": "none"})
TEXT = decoding(QWEN2, QWEN3_TEXT, LLAMA_TEXT, implied=TEXTS)


def _shuffled(values: Values) -> Settings:
    """Return how many patches make one position: the inverse of a ratio, on each side.

    Raises:
        BadInput: that is no whole number, or images are no squares.
    """
    ratio = values["downsample_ratio"]
    known = isinstance(ratio, int | float) and not isinstance(ratio, bool) and 0 < ratio <= 1
    side = round(1 / ratio) if known else 0
    if not known or abs(side * ratio - 1) > 1e-6:
        raise BadInput(
            f"downsample_ratio = {written(ratio)} does not fit: one divided by a whole number is, "
            "such as 0.5."
        )
    found = grid(values, TEXT, INSIDE, "g", side, "1/downsample_ratio")
    if found["H_g"] != found["W_g"]:
        raise BadInput("vision_config.image_size is no square: its class takes images as squares.")
    return {"g": str(side), **found}


INTERNVL = Family(
    "internvl",
    generating("internvl", "InternVL"),
    {
        **TIED,
        "downsample_ratio": Ruled(),
        "projector_hidden_act": Acting("projector_activation"),
        "vision_feature_layer": Only((-1,), "the last block of the encoder is read"),
        "vision_feature_select_strategy": Only(
            ("default",), "with the class vector positions are no square"
        ),
        "image_seq_length": FREE,
        "vocab_size": FREE,
    },
    (Rule(("downsample_ratio",), _shuffled),),
    {
        **within("model.language_model.", DENSE), **image("model.vision_tower.", "tower."),
        "model.multi_modal_projector.layer_norm.weight": ("projector_norm.g",),
        "model.multi_modal_projector.layer_norm.bias": ("projector_norm.b",),
        **{f"model.multi_modal_projector.linear_{i}.{said}": (f"projector.{i}.{letter}",)
           for i in (1, 2) for said, letter in (("weight", "W"), ("bias", "b"))},
    },
    implied=ONE_IMAGE,
    parts={"text_config": TEXT, "vision_config": INSIDE},
)  # fmt: skip

QIANFAN_TENSORS = {
    name.replace("encoder.layer.", "layers."): ours for name, ours in INTERNVL.tensors.items()
}  # fmt: skip
QIANFAN_VISION = replace(
    VISION, model_type="qianfan_ocr_vision",
    builds={"QianfanOCRVisionModel": Built("intern_vision")},
    tensors={k.replace("encoder.layer.", "layers."): v for k, v in VISION.tensors.items()},
)  # fmt: skip
QIANFAN = replace(
    INTERNVL, model_type="qianfan_ocr", builds=generating("internvl", "QianfanOCR"),
    tensors=QIANFAN_TENSORS,
    parts={
        "text_config": decoding(QWEN3_TEXT, QWEN2, LLAMA_TEXT, implied=TEXTS),
        "vision_config": replace(INSIDE, model_type="qianfan_ocr_vision"),
    },
)  # fmt: skip
