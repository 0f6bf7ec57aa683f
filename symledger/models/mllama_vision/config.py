"""The encoder of Llama 3.2 Vision: tiles, shapes of images, and which blocks are read."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED
from symledger.config_keys.tower_keys import norm
from symledger.errors import BadInput

RATIOS = [[1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [3, 1], [4, 1]]
READ = [3, 7, 15, 23, 30]
"""What is meant where nothing is said (transformers 5.23, MllamaVisionConfig)."""
EIGHT = 8
"""Of the vectors of a tile there are as many as this divides (transformers 5.23)."""


def read_layers(values: Values) -> int:
    """Return how many blocks are read besides the last of all.

    Raises:
        BadInput: there are no such blocks, or one is named twice.
    """
    number, said = size("num_hidden_layers", values["num_hidden_layers"]), values[INDICES]
    said = READ if said is None else said
    known = isinstance(said, list) and all(type(i) is int and -number <= i < number for i in said)
    if not known or not said or len({i % number for i in said}) != len(said):
        raise BadInput(
            f"{INDICES} = {written(said)} does not fit: it names blocks that are read, each once, "
            f"of num_hidden_layers = {number}, from 0 to {number - 1}."
        )
    return len(said)


INDICES = "intermediate_layers_indices"


def _shapes(values: Values) -> int:
    """Return how many shapes of images are told apart.

    Raises:
        BadInput: they are no list, or none of so many tiles.
    """
    said, tiles = values["supported_aspect_ratios"], values["max_num_tiles"]
    said = RATIOS if said is None else said
    if not isinstance(said, list) or not said:
        raise BadInput(f"supported_aspect_ratios = {written(said)} is no list of shapes.")
    if said == RATIOS and tiles != 4:
        raise BadInput(
            f"max_num_tiles = {written(tiles)} does not fit supported_aspect_ratios, which are "
            "those of 4 tiles. Say others, or max_num_tiles = 4."
        )
    return len(said)


def _tiled(values: Values) -> Settings:
    """Return how many patches a tile has, and how many zeros stand behind its vectors."""
    head_width({k: size(k, values[k]) for k in ("hidden_size", HEADS)}, "hidden_size", HEADS)
    image, patch = (size(key, values[key]) for key in ("image_size", "patch_size"))
    side = image // patch
    if not side:
        raise BadInput(f"image_size = {image} is less than patch_size = {patch}.")
    return {
        "H_p": str(side), "W_p": str(side), "T_z": str(-(side**2 + 1) % EIGHT),
        "N_ar": str(_shapes(values) + 1), "L_v": str(read_layers(values)),
    }  # fmt: skip


HEADS = "attention_heads"
KEYS: Mapping[str, Use] = {
    "hidden_size": SizeOf("d"),
    "intermediate_size": SizeOf("d_ff"),
    "num_hidden_layers": SizeOf("L"),
    HEADS: SizeOf("h"),
    "hidden_act": Acting(),
    "num_global_layers": SizeOf("L_gl"),
    "num_channels": SizeOf("C_in"),
    "patch_size": SizeOf("P"),
    "max_num_tiles": SizeOf("N_t"),
    **dict.fromkeys(("image_size", INDICES, "supported_aspect_ratios"), Ruled()),
    **dict.fromkeys(("vision_output_dim", "initializer_range"), FREE),
    **UNTIED,
}
INSIDE: Mapping[str, Use] = {
    **KEYS, "hidden_size": SizeOf("d_img"), "intermediate_size": SizeOf("f_img"),
    "num_hidden_layers": SizeOf("L_img"), HEADS: SizeOf("h_img"),
    "hidden_act": Acting("image_activation"),
}  # fmt: skip
"""The same inside of another model."""
BLOCK = {
    **{f"self_attn.{x.lower()}_proj": f"attention.{x}" for x in "QKVO"},
    "mlp.fc1": "feed_forward.1", "mlp.fc2": "feed_forward.2",
    "input_layernorm": "norm_1", "post_attention_layernorm": "norm_2",
}  # fmt: skip
STAGES = {"transformer": ("block", "read_block.block"), "global_transformer": ("gated_block",)}


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the encoder."""
    found: dict[str, tuple[str, ...]] = {
        f"{theirs}patch_embedding.weight": (f"{ours}patches.convolution.F",),
        f"{theirs}class_embedding": (f"{ours}c",),
        f"{theirs}gated_positional_embedding.gate": (f"{ours}positions.gate",),
        f"{theirs}gated_positional_embedding.embedding": (f"{ours}positions.P",),
        f"{theirs}gated_positional_embedding.tile_embedding.weight": (f"{ours}positions.table",),
        **norm(f"{theirs}layernorm_pre", f"{ours}first_norm"),
        **norm(f"{theirs}layernorm_post", f"{ours}middle_norm"),
    }
    for name, part in (("pre", "first_tiles"), ("post", "last_tiles")):
        tiles = f"{theirs}{name}_tile_positional_embedding"
        found[f"{tiles}.embedding.weight"] = (f"{ours}{part}.table",)
        found[f"{tiles}.gate"] = (f"{ours}{part}.gate",)
    for stage, blocks in STAGES.items():
        layer = f"{theirs}{stage}.layers.*."
        for name, part in BLOCK.items():
            letter = "g" if part.startswith("norm") else "W"
            found[f"{layer}{name}.weight"] = tuple(f"{ours}{b}.{part}.{letter}" for b in blocks)
            found[f"{layer}{name}.bias"] = tuple(f"{ours}{b}.{part}.b" for b in blocks)
    for name, part in (("attn", "attention"), ("ffn", "network")):
        gate = f"{theirs}global_transformer.layers.*.gate_{name}"
        found[gate] = (f"{ours}gated_block.g_{part}",)
    return found


VISION = Family(
    "mllama_vision_model", {"MllamaVisionModel": Built("mllama_vision")}, KEYS,
    (Rule((), _tiled),), image("", ""),
)  # fmt: skip
