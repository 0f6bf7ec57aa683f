"""MiniCPM-V 4.6, 4.7 and MiniCPM-OCR: an encoder and Qwen3.5, each with its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.encoder_keys import Tensors, maps, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import Square
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    TOWER,
    decoding,
    generating,
    inner,
    lasting,
    within,
)
from symledger.config_keys.tower_keys import norm, tower
from symledger.errors import BadInput
from symledger.models.qwen_next.config import QWEN35

SHOWN = 448
"""How large images are that are shown to it, where nothing is said (its processor's default)."""


def image(theirs: str, ours: str) -> Tensors:
    """Return what stands behind the weights of the encoder."""
    blocks = tower("", "")
    merger = {
        **{f"self_attn.{x}_proj.{said}": (f"attention.{x.upper()}.{y}", f"spare.{y}_{x}")
           for x in "qkv" for said, y in (("weight", "W"), ("bias", "b"))},
        **{f"self_attn.out_proj.{said}": (f"attention.O.{y}", f"spare.{y}_o")
           for said, y in (("weight", "W"), ("bias", "b"))},
        **{f"{name}.{said}": (f"norm_{i}.{y}", f"spare.{y}_{i}")
           for i, name in ((1, "layer_norm1"), (2, "pre_norm"))
           for said, y in (("weight", "g"), ("bias", "b"))},
        **{f"linear_{i}.{said}": (f"maps.{i}.{y}", f"spare.{y}_{name}")
           for i, name in ((1, "in"), (2, "out")) for said, y in (("weight", "W"), ("bias", "b"))},
    }  # fmt: skip
    return {
        **maps(**{f"{theirs}embeddings.patch_embedding": f"{ours}patches.convolution"}),
        f"{theirs}embeddings.patch_embedding.weight": (f"{ours}patches.convolution.F",),
        f"{theirs}embeddings.position_embedding.weight": (f"{ours}table",),
        **{f"{theirs}{name}": tuple(
               f"{ours}{kind}{x.removeprefix('block')}" for x in found
               for kind in ("block", "later_block"))
           for name, found in blocks.items()},
        **norm(f"{theirs}post_layernorm", f"{ours}final_norm"),
        **{f"{theirs}vit_merger.{name}": (f"{ours}window_merger.{own}", f"{ours}{spare}")
           for name, (own, spare) in merger.items()},
    }  # fmt: skip


def _pair(name: str, value: object) -> None:
    """Refuse windows but those of two by two: what comes after takes four vectors.

    Raises:
        BadInput: they are others.
    """
    if value not in ([2, 2], (2, 2)):
        raise BadInput(
            f"{name} = {written(value)} is not supported: maps behind it take four patches, two by "
            "two. Say [2, 2]."
        )


def _reached(values: Values, after: object) -> Settings:
    """Return how many blocks come before four patches are made one, where they are reached."""
    layers = size("num_hidden_layers", values["num_hidden_layers"])
    if type(after) is not int:
        raise BadInput(f"insert_layer_id = {written(after)} does not fit: a number of a block is.")
    inside = 0 <= after < layers
    return {"reached": BOOLS[inside], **({"L_b": str(after + 1)} if inside else {})}


def _placed(values: Values) -> Settings:
    """Return how many places the table has."""
    head_width({k: size(k, values[k]) for k in ("hidden_size", "num_attention_heads")})
    _pair("window_kernel_size", values["window_kernel_size"])
    side = int(Square("P").settings("patch_size", values["patch_size"])["P"])
    length = int(Square("H").settings("image_size", values["image_size"])["H"]) // side
    if not length:
        raise BadInput(f"image_size = {written(values['image_size'])} has no patch of {side}.")
    return {"T_max": str(length**2)}


def _alone(values: Values) -> Settings:
    """Return what is asked of the encoder by itself: an image of the usual size."""
    side = int(Square("P").settings("patch_size", values["patch_size"])["P"])
    groups = str(max(SHOWN // (2 * side), 1))
    found = _reached(values, values["insert_layer_id"])
    return {**_placed(values), **found, "H_g": groups, "W_g": groups}


VISION_KEYS: Mapping[str, Use] = {
    "hidden_size": SizeOf("d"),
    "intermediate_size": SizeOf("d_ff"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "num_channels": SizeOf("C_in"),
    "image_size": FREE,
    "patch_size": Square("P"),
    "hidden_act": Acting(),
    "insert_layer_id": FREE,
    "window_kernel_size": Ruled(),
}
READ = ("image_size", "patch_size", "hidden_size", "num_attention_heads", "num_hidden_layers",
        "insert_layer_id")  # fmt: skip


def _vision(model_type: str, name: str) -> Family:
    """Return the encoder by itself."""
    return Family(
        model_type, {f"{name}VisionModel": Built("minicpm_v_vision", {"squeezed": "true"})},
        VISION_KEYS, (Rule(READ, _alone),), image("", ""),
    )  # fmt: skip


VISION = _vision("minicpmv4_6_vision", "MiniCPMV4_6")
NEWER_VISION = _vision("minicpmv4_7_vision", "MiniCPMV4_7")
OCR_VISION = _vision("minicpm_ocr_vision", "MiniCPMOcr")
TEXT = decoding(QWEN35)
MODES: Mapping[object, str] = {"16x": "true", "4x": "false"}


def _whole(model_type: str, name: str, encoder: Family) -> Family:
    """Return a model that sees; it makes of its encoder's key what it says itself."""
    sizes = {k: use for k, use in TOWER.items() if k not in ("image_size", "patch_size")}
    vision = replace(encoder, uses={**encoder.uses, **sizes}, rules=(Rule(READ, _placed),))

    def seen(values: Values) -> Settings:
        _pair("merge_kernel_size", values["merge_kernel_size"])
        patch = inner(values, "vision_config", vision, "patch_size")
        side = int(Square("P").settings("patch_size", patch)["P"])
        squeezed = values["downsample_mode"] == "16x"
        groups = max(SHOWN // ((4 if squeezed else 2) * side), 1)
        layers = inner(values, "vision_config", vision, "num_hidden_layers")
        found = _reached({"num_hidden_layers": layers}, values["insert_layer_id"])
        return {**found, "H_g": str(groups), "W_g": str(groups),
                **lasting(values, TEXT, groups**2)}  # fmt: skip

    return Family(
        model_type, generating("minicpm_v", name),
        {
            **TIED,
            "downsample_mode": Choice("squeezed", MODES),
            "merge_kernel_size": Ruled(),
            "merger_times": Only((1,), "four patches are made one once more"),
            **dict.fromkeys((
                "insert_layer_id", "image_size", "drop_vision_last_layer", "image_start_id",
                "image_end_id", "slice_start_id", "slice_end_id", "newline_id", "patch_size",
            ), FREE),
        },
        (Rule(("insert_layer_id", "downsample_mode"), seen),),
        {
            **within("model.language_model.", QWEN35.tensors),
            **under("model.", "", image("vision_tower.", "tower.")),
            **norm("model.merger.mlp.*.pre_norm", "projector_norm"),
            **maps(**{f"model.merger.mlp.*.linear_{i}": f"projector.{i}" for i in (1, 2)}),
        },
        implied=ONE_IMAGE, parts={"text_config": TEXT, "vision_config": vision},
    )  # fmt: skip


MINICPM_V = _whole("minicpmv4_6", "MiniCPMV4_6", VISION)
MINICPM_V_NEWER = _whole("minicpmv4_7", "MiniCPMV4_7", NEWER_VISION)
MINICPM_OCR = _whole("minicpm_ocr", "MiniCPMOcr", OCR_VISION)
