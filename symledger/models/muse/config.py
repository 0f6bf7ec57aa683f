"""Muse Glimmer and Muse Spark: LLaMA's keys, windows, and layers that are told no positions."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Free, Number, Settings, SizeOf, Use, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    ATTENTION,
    DIVIDED,
    EXPERTS,
    GATE,
    GATED,
    WIDTHS,
    layers,
)
from symledger.config_keys.expert_keys import LAYER, listed_dense
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import everywhere
from symledger.config_keys.window_keys import LISTED, beside_dense, listed, windows
from symledger.errors import BadInput, shown


def _near(values: Values, number: int) -> list[bool]:
    """Return which layers have a window where they are not listed: three of four, never the last.

    They are counted from the last one.
    """
    return [(number - 1 - i) % 4 != 0 for i in range(number)]


def _turned(values: Values) -> Settings:
    """Refuse that layers with a window are told no positions, or that others are told some.

    Which are told positions does not follow what kinds of layers are listed, but what their bases
    are, where these are missing the place of the layer.
    """
    number, types, bases = layers(values), values.get("layer_types"), values.get("layer_rope_theta")
    near = _near(values, number) if types is None else listed(types, number)
    if bases is None:
        told: list[object] = list(_near(values, number))
    elif (
        isinstance(bases, list)
        and len(bases) >= number
        and all(type(base) in (int, float) for base in bases)
    ):
        told = [base != 0 for base in bases[:number]]
    else:
        raise BadInput(
            f"layer_rope_theta = {shown(written(bases))} is no number for each of {number} layers."
        )
    if told != near:
        raise BadInput(
            f"layer_rope_theta = {shown(written(bases))} does not fit layer_types = "
            f"{shown(written(types))}: sliding_attention layers are told positions, and "
            "full_attention ones none (0). Where it is null, every fourth layer counted from the "
            "last is told none."
        )
    return {}


def _dense(values: Values) -> list[bool]:
    """Return which layers have no experts: those that are listed, else none."""
    if values.get("mlp_layer_types") is None:
        return [False] * layers(values)
    return listed_dense(values)


KEYS: Mapping[str, Use] = {
    **WIDTHS,
    **LISTED,
    "num_key_value_heads": SizeOf("h_kv"),
    "head_dim": SizeOf("d_h"),
    "attention_bias": Choice("attention_bias", BOOLS),
    "attention_dropout": FREE,
    "layer_rope_theta": Ruled(),
    "final_logit_softcapping": Number(above=0),
    **dict.fromkeys(("qk_scale_factor", "output_multiplier", "post_norm_eps"), Number()),
}
RULES = (DIVIDED, Rule(("num_hidden_layers",), _turned))
WINDOWED = ("block", "windowed_block")
KINDS = (*WINDOWED, "dense_block", "windowed_dense_block")
SHARED = {
    **ATTENTION,
    **GATED,
    f"{LAYER}self_attn.gate_proj.weight": ("block.attention.gate.W",),
    f"{LAYER}post_attention_layernorm.weight": ("block.norm_2.g",),
    f"{LAYER}pre_feedforward_layernorm.weight": ("block.norm_3.g",),
    f"{LAYER}post_feedforward_layernorm.weight": ("block.norm_4.g",),
}
MIXTURE = {
    f"{LAYER}mlp.{theirs}": (f"block.feed_forward.{ours}",)
    for theirs, ours in (
        ("pre_expert_proj.weight", "narrow.W"), ("pre_expert_norm.weight", "norm.g"),
        ("experts.post_expert_norm.weight", "routed_norm.g"),
        ("post_expert_proj.weight", "widen.W"),
    )
}  # fmt: skip
GATES = {
    f"{LAYER}post_{theirs}_residual_gate.gate": (f"block.residual_{i}.gate",)
    for i, theirs in enumerate(("attention", "feedforward"), 1)
}

MUSE_GLIMMER = Family(
    "muse_glimmer_text",
    {"MuseGlimmerTextModel": Built("muse_glimmer", {"head": "bare"})},
    {**KEYS, "hidden_activation": GATE},
    (*RULES, *windows(_near, asked=True)),
    everywhere(SHARED, WINDOWED),
)
MUSE_SPARK = Family(
    "muse_spark_text",
    {"MuseSparkTextModel": Built("muse_spark", {"head": "bare"})},
    {
        **KEYS,
        "hidden_act": GATE,
        "num_local_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        "moe_intermediate_size": SizeOf("d_exp"),
        "moe_hidden_size": SizeOf("d_l"),
        "mlp_layer_types": Ruled(),
        "residual_gate_temperature": Number(above=0),
        "routed_scaling_factor": Free((float,)),
        "output_router_logits": FREE,
    },
    (*RULES, *beside_dense(_near, _dense, asked=True)),
    everywhere({**SHARED, **EXPERTS, **MIXTURE, **GATES}, KINDS),
)
