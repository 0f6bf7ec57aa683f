"""Families that say what LLaMA, Mistral or Qwen3 are in other words, or add a little to them."""

from __future__ import annotations

from symledger.catalogue.argument_specs import (
    BOOLS,
    Choice,
    Number,
    Only,
    Settings,
    SizeOf,
    size,
    written,
)
from symledger.config_keys import window_keys as windows
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, GATE, WIDTHS, heads, kinds
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.errors import BadInput

KEYS = {**WIDTHS, "hidden_act": GATE, "attention_dropout": FREE}
BIASES = {"attention_bias": Choice("attention_bias"), "mlp_bias": Choice("mlp_bias")}
BARE = {"tokens": False, "spans": False, "sequences": False}

SEED_OSS = Family(
    "seed_oss",
    heads("seed_oss", "SeedOss"),
    {
        **KEYS,
        "attention_bias": Choice("qkv_bias"),
        "attention_out_bias": Choice("output_bias"),
        "mlp_bias": Choice("mlp_bias"),
    },
    (),
    DENSE,
)

ERNIE = Family(
    "ernie4_5",
    heads("llama", "Ernie4_5", **BARE),
    {
        **KEYS,
        "use_bias": Choice("attention_bias", BOOLS, ("mlp_bias",)),
        "compression_ratio": FREE,
        "use_flash_attention": FREE,
    },
    (),
    DENSE,
)

HUNYUAN = Family(
    "hunyuan_v1_dense",
    heads("qwen3", "HunYuanDenseV1", tokens=False, spans=False),
    {
        **KEYS,
        "head_dim": SizeOf("d_h"),
        "attention_bias": Choice("attention_bias"),
        "norm_type": Only(("rms",)),
        **dict.fromkeys(("use_qk_norm", "use_rotary_pos_emb"), Only((True,))),
        **dict.fromkeys(
            ("mlp_bias", "use_cla", "add_classification_head", "position_embedding_xdrope"),
            Only((False,)),
        ),
        **dict.fromkeys((
            "attention_head_dim", "cla_share_factor", "class_num", "dense_list", "org_vocab_size",
            "im_end_id", "im_newline_id", "im_start_id", "mask_init_id", "max_loss_tokens",
            "pool_type", "text_end_id", "text_start_id", "vit_mapping_type",
        ), FREE),
    },
    (),
    {
        **DENSE,
        "model.layers.*.self_attn.query_layernorm.weight": ("block.attention.norm_Q.g",),
        "model.layers.*.self_attn.key_layernorm.weight": ("block.attention.norm_K.g",),
    },
)  # fmt: skip
"""Its norms come after the turning by positions, which is counted the same."""

MINISTRAL = Family(
    "ministral",
    heads("mistral", "Ministral"),
    {**KEYS, "head_dim": SizeOf("d_h"), **windows.LISTED},
    windows.windows(windows.all_of_them, asked=True),
    DENSE,
)

GRANITE = Family(
    "granite",
    heads("granite", "Granite", **BARE),
    {
        **KEYS,
        **BIASES,
        **dict.fromkeys((
            "embedding_multiplier", "logits_scaling", "residual_multiplier",
            "attention_multiplier",
        ), Number()),
    },
    (),
    DENSE,
)  # fmt: skip


def unturned(values: Values) -> Settings:
    """How many layers are told no positions: those listed with 0, or every so many.

    Raises:
        BadInput: the list is none, or names another number of layers.
    """
    number = size("num_hidden_layers", values["num_hidden_layers"])
    listed = values.get("no_rope_layers")
    if listed is None:
        without = number // size("no_rope_layer_interval", values["no_rope_layer_interval"])
    elif (
        isinstance(listed, list) and len(listed) == number
        and all(type(x) is int and x in (0, 1) for x in listed)
    ):  # fmt: skip
        without = listed.count(0)
    else:
        raise BadInput(f"no_rope_layers = {written(listed)} is no list of 0 and 1 for each layer.")
    if without in (0, number):
        return {"without_positions": "all" if without else "none"}
    return {"without_positions": "some", "L_n": str(without)}


def no_windows(values: Values) -> Settings:
    """Refuse windows, which would have to be told apart from positions layer by layer.

    Raises:
        BadInput: some layer has one.
    """
    types, number = values.get("layer_types"), values["num_hidden_layers"]
    if values["use_sliding_window"] and values["sliding_window"] is not None:
        raise BadInput("use_sliding_window = True is not supported in a smollm3.")
    if types is not None and types != [windows.FULL] * number:
        raise BadInput(
            f"layer_types = {written(types)} is not supported, only {windows.FULL} for each of "
            f"num_hidden_layers = {number} is."
        )
    return {}


SMOLLM3 = Family(
    "smollm3",
    heads("smollm3", "SmolLM3"),
    {
        **KEYS,
        **BIASES,
        **windows.SWITCHED,
        "max_window_layers": FREE,
        "no_rope_layers": Ruled(),
        "no_rope_layer_interval": Ruled(),
    },
    (Rule(("num_hidden_layers",), unturned), Rule((), no_windows)),
    kinds(DENSE, "unturned_block"),
)
