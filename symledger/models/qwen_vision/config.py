"""The encoders of Qwen2-VL, Qwen2.5-VL and Qwen3-VL, each of them a type of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput

KEYS: Mapping[str, Use] = {
    "depth": SizeOf("L"),
    "hidden_size": SizeOf("d"),
    "intermediate_size": SizeOf("d_ff"),
    "num_heads": SizeOf("h"),
    "in_channels": SizeOf("C_in"),
    "patch_size": SizeOf("P"),
    "spatial_merge_size": SizeOf("g"),
    "temporal_patch_size": Only((2,), "an image is seen as two frames alike here"),
    "hidden_act": Acting(),
    "out_hidden_size": SizeOf("d_out"),
    **dict.fromkeys((
        "initializer_range", "in_chans", "spatial_patch_size", "tokens_per_second",
    ), FREE),
}  # fmt: skip
"""The last ones stand in some files, and are read by nothing."""
IMAGE = {"H_g": "8", "W_g": "8"}
"""How large an image is where nothing is said, in groups of patches: its class takes any."""
BLOCK = {
    "norm1": "norm_1", "norm2": "norm_2", "attn.proj": "attention.O",
    "mlp.fc1": "feed_forward.1", "mlp.fc2": "feed_forward.2",
    "mlp.linear_fc1": "feed_forward.1", "mlp.linear_fc2": "feed_forward.2",
    **{f"mlp.{x}_proj": f"feed_forward.{x}" for x in ("gate", "up", "down")},
}  # fmt: skip
KINDS = ("block", "windowed_block", "read_block.block")
MERGER = {
    "ln_q": "norm", "norm": "norm", "linear_fc1": "maps.1", "linear_fc2": "maps.2",
}  # fmt: skip
LETTERS = {"weight": "W", "bias": "b"}


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the encoder."""
    found: dict[str, tuple[str, ...]] = {
        f"{theirs}patch_embed.proj.weight": (f"{ours}patches.F",),
        f"{theirs}patch_embed.proj.bias": (f"{ours}patches.b",),
        f"{theirs}pos_embed.weight": (f"{ours}table",),
    }
    for said, letter in LETTERS.items():
        for name, part in BLOCK.items():
            of = "g" if "norm" in part and said == "weight" else letter
            found[f"{theirs}blocks.*.{name}.{said}"] = tuple(
                f"{ours}{kind}.{part}.{of}" for kind in KINDS
            )
        found[f"{theirs}blocks.*.attn.qkv.{said}"] = tuple(
            f"{ours}{k}.attention.{x}.{letter}" for k in KINDS for x in "QKV"
        )
        for name, part in MERGER.items():
            of = "g" if part == "norm" and said == "weight" else letter
            found[f"{theirs}merger.{name}.{said}"] = (f"{ours}merger.{part}.{of}",)
            found[f"{theirs}deepstack_merger_list.*.{name}.{said}"] = (
                f"{ours}read_block.merger.{part}.{of}",
            )
        found[f"{theirs}merger.mlp.*.{said}"] = tuple(
            f"{ours}merger.maps.{i}.{letter}" for i in (1, 2)
        )
    return found


def _checked(values: Values, d: str) -> None:
    """Refuse heads that do not divide the width: they are split, whatever is left over."""
    head_width({k: size(k, values[k]) for k in (d, "num_heads")}, d, "num_heads")


def _widened(values: Values) -> Settings:
    """Return how wide the networks are: so many times the width, as a key says."""
    _checked(values, "embed_dim")
    ratio = size("mlp_ratio", values["mlp_ratio"])
    return {"d_ff": str(ratio * size("embed_dim", values["embed_dim"]))}


def _windowed(values: Values) -> Settings:
    """Return how many blocks see all of an image, and how many groups of patches a window has.

    Raises:
        BadInput: blocks are named that are not there, or no block sees all of it.
    """
    _checked(values, "hidden_size")
    depth, full = size("depth", values["depth"]), values["fullatt_block_indexes"]
    if not isinstance(full, list) or not all(type(i) is int and i >= 0 for i in full):
        raise BadInput(f"fullatt_block_indexes = {written(full)} is no list of blocks, from 0 on.")
    whole = len({i for i in full if i < depth})
    if whole == depth:
        return {"windowed": "false"}
    if not whole:
        raise BadInput(
            f"fullatt_block_indexes = {written(full)} is not supported: one of {depth} blocks has "
            f"to see all of an image here. Name one below {depth}."
        )
    keys = ("window_size", "spatial_merge_size", "patch_size")
    window, merged, patch = (size(key, values[key]) for key in keys)
    side = window // merged // patch
    if not side:
        raise BadInput(f"window_size = {window} is less than a group of patches, {merged * patch}.")
    return {"windowed": "true", "L_f": str(whole), "W_g": str(side**2)}


def _read(values: Values) -> Settings:
    """Return how many blocks are read besides the last.

    Raises:
        BadInput: there are no such blocks.
    """
    _checked(values, "hidden_size")
    depth, read = size("depth", values["depth"]), values["deepstack_visual_indexes"]
    known = isinstance(read, list) and all(type(i) is int and 0 <= i < depth for i in read)
    if not known or len(set(read)) != len(read) or not 0 < len(read) < depth:
        if known and sorted(read) == list(range(depth)):
            return {"deep": "true", "L_r": str(depth)}
        raise BadInput(
            f"deepstack_visual_indexes = {written(read)} does not name some of the {depth} blocks "
            f"once each, from 0 to {depth - 1}."
        )
    return {"deep": "true", "L_r": str(len(read))}


def _encoder(
    model_type: str, name: str, options: Settings, uses: Mapping[str, Use], rule: Rule
) -> Family:
    built = {name: Built("qwen_vision", options)}
    return Family(model_type, built, uses, (rule,), image("", ""), IMAGE)


OLD = {
    **{k: use for k, use in KEYS.items() if k not in ("intermediate_size", "out_hidden_size")},
    "embed_dim": SizeOf("d"), "hidden_size": SizeOf("d_out"), "mlp_ratio": Ruled(),
}  # fmt: skip
WINDOWS = {**KEYS, "window_size": Ruled(), "fullatt_block_indexes": Ruled()}
DEEP = {
    **KEYS, "num_position_embeddings": SizeOf("T_max"), "deepstack_visual_indexes": Ruled(),
}  # fmt: skip
PLACED = {"placed": "true"}
QWEN2 = _encoder(
    "qwen2_vl_vision", "Qwen2VisionTransformerPretrainedModel", {}, OLD,
    Rule(("embed_dim",), _widened),
)  # fmt: skip
QWEN25 = _encoder(
    "qwen2_5_vl_vision", "Qwen2_5_VisionTransformerPretrainedModel", {"gated": "true"}, WINDOWS,
    Rule((), _windowed),
)  # fmt: skip
QWEN3 = _encoder("qwen3_vl_vision", "Qwen3VLVisionModel", PLACED, DEEP, Rule((), _read))
QWEN3_MOE = _encoder(
    "qwen3_vl_moe_vision", "Qwen3VLMoeVisionModel", PLACED, DEEP, Rule((), _read)
)


def _heads(values: Values) -> Settings:
    """Refuse heads that do not divide the width."""
    _checked(values, "hidden_size")
    return {}


SHALLOW = {**DEEP, "deepstack_visual_indexes": FREE}
"""Some files name blocks that are read besides the last; the class reads none."""
QWEN35 = _encoder("qwen3_5_vision", "Qwen3_5VisionModel", PLACED, SHALLOW, Rule((), _heads))
QWEN35_MOE = _encoder(
    "qwen3_5_moe_vision", "Qwen3_5MoeVisionModel", PLACED, SHALLOW, Rule((), _heads)
)
APART = {
    f"blocks.*.attn.{x.lower()}.{said}": tuple(f"{kind}.attention.{x}.{y}" for kind in KINDS)
    for said, y in LETTERS.items() for x in "QKV"
}  # fmt: skip
QWEN25_OMNI = replace(
    QWEN25, model_type="qwen2_5_omni_vision_encoder",
    builds={"Qwen2_5OmniVisionEncoder": QWEN25.builds["Qwen2_5_VisionTransformerPretrainedModel"]},
    uses={**QWEN25.uses, "tie_word_embeddings": FREE}, tensors={**QWEN25.tensors, **APART},
)  # fmt: skip
READ = {
    **{f"merger_list.*.ln_q.{x}": (f"read_block.merger.norm.{y}",)
       for x, y in (("weight", "g"), ("bias", "b"))},
    **{f"merger_list.*.mlp.*.{x}": tuple(f"read_block.merger.maps.{i}.{y}" for i in (1, 2))
       for x, y in LETTERS.items()},
}  # fmt: skip
QWEN3_OMNI = replace(
    QWEN3_MOE, model_type="qwen3_omni_moe_vision_encoder",
    builds={"Qwen3OmniMoeVisionEncoder": QWEN3_MOE.builds["Qwen3VLMoeVisionModel"]},
    uses={
        **DEEP, **dict.fromkeys(("image_size", "tie_word_embeddings"), FREE),
        "apply_vit_abs_pos_embed": Only((True,)),
    },
    tensors={**QWEN3_MOE.tensors, **READ},
)  # fmt: skip
COHERE_COMPASS = _encoder(
    "cohere_compass_vision", "CohereCompassVisionModel", PLACED, DEEP, Rule((), _read)
)
QWEN4_EXP = _encoder(
    "qwen4_exp_vision", "Qwen4ExpVisionModel", PLACED, SHALLOW, Rule((), _heads)
)


def _shared(values: Values) -> Settings:
    """Refuse heads that cannot share keys and values evenly."""
    h, kv = (size(key, values[key]) for key in ("num_heads", "num_key_value_heads"))
    if h % kv:
        raise BadInput(
            f"num_key_value_heads = {kv} does not divide num_heads = {h}: as many heads share the "
            "keys and values of each."
        )
    return {}


EXAONE45 = Family(
    "exaone4_5_vision", {"Exaone4_5_VisionModel": Built("exaone_vision")},
    {**WINDOWS, "num_key_value_heads": SizeOf("h_kv"), "rope_parameters": FREE},
    (Rule((), _windowed), Rule(("num_heads", "num_key_value_heads"), _shared)), image("", ""),
    IMAGE,
)  # fmt: skip
