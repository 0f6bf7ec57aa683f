"""ZAYA: LLaMA's keys, kernels of two convolutions, a router's width, and kinds of layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symledger.arguments.specs import (
    BOOLS,
    Choice,
    Only,
    Settings,
    SizeOf,
    Use,
    among,
    size,
    written,
)
from symledger.config_keys.common import FREE, SHARE
from symledger.config_keys.decoder_keys import ATTENTION, EXPERTS, LLAMA_KEYS, layers, turned
from symledger.config_keys.expert_keys import LAYER, classes
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import everywhere
from symledger.errors import BadInput, shown

FULL, SLIDING = "hybrid", "hybrid_sliding"


def _kinds(values: Values) -> Settings:
    """Return which layers look back at a window: the first, and which of the others."""
    number, types = layers(values), values.get("layer_types")
    types = [FULL] * number if types is None else types
    if not isinstance(types, list) or len(types) != number:
        raise BadInput(
            f"layer_types = {shown(written(types))} does not name the kinds of {number} layers."
        )
    near = [among("layer_types", kind, (FULL, SLIDING)) == SLIDING for kind in types]
    rest = near[1:]
    which = "all" if rest and all(rest) else "some" if any(rest) else "none"
    found = {"first_windowed": BOOLS[near[0]], "windows": which}
    if not any(near):
        return found
    if values["sliding_window"] is None:
        raise BadInput(
            f"{sum(near)} layers are {SLIDING}, but how long the window is is not said: give "
            "sliding_window."
        )
    found["w_max"] = str(size("sliding_window", values["sliding_window"]))
    return {**found, "L_w": str(sum(near))} if which == "some" else found


def _turned(values: Values) -> Settings:
    """Return how much of a head is turned, in layers of both kinds.

    Raises:
        BadInput: it is not as much in both, or not said by kind of layer.
    """
    said, met = values.get("rope_parameters"), set(values.get("layer_types") or [FULL])
    shares = {kind: _share(said, kind) for kind in (FULL, SLIDING) if kind in met}
    if len(set(shares.values())) > 1:
        raise BadInput(
            f"rope_parameters with {SHARE} = {written(shares)} is not supported: layers of both "
            "kinds turn as much of a head."
        )
    share = next(iter(shares.values()))
    return turned({SHARE: share}, SHARE, 1.0, size("head_dim", values["head_dim"]))


def _share(said: Any, kind: str) -> Any:
    """Return the share of a head that layers of a kind turn; a half, where nothing is said."""
    if said is None:
        return 0.5
    inside = said.get(kind) if isinstance(said, dict) else None
    if not isinstance(inside, dict):
        raise BadInput(
            f"rope_parameters = {shown(written(said))} does not say of {kind} layers how positions "
            "turn heads: the class reads it by kind. Leave it out."
        )
    return inside.get(SHARE, 1.0)


def _kernels(values: Values) -> Settings:
    """Return how long both kernels are, together at least long enough to see a token before.

    Raises:
        BadInput: they are not, or heads of keys and values have an odd number of elements.
    """
    first, second = (size(name, values[name]) for name in ("cca_time0", "cca_time1"))
    if first == second == 1:
        raise BadInput(
            "cca_time0 = 1 with cca_time1 = 1 is not supported: nothing of a token before is seen "
            "then, and what decoding remembers is all of the past. Let one of them be 2."
        )
    heads, width = (size(name, values[name]) for name in ("num_key_value_heads", "head_dim"))
    if heads * width % 2:
        raise BadInput(
            f"num_key_value_heads = {heads} with head_dim = {width} does not fit: half of all "
            "elements of values come from the token before, so their number is even."
        )
    return {"K": str(first), "K_g": str(second)}


KINDS = ("first_block", "block", "windowed_block")
PARTS = {
    **ATTENTION,
    **EXPERTS,
    "model.input_hidden_states_scale": ("g_entered",),
    "model.input_hidden_states_bias": ("b_entered",),
    **{
        f"{LAYER}{theirs}": (f"block.{ours}",) for theirs, ours in (
            *((f"self_attn.qkv_proj.{x.lower()}_proj.{of}", f"attention.{x}.{our}")
              for x in "QK" for of, our in (("weight", "W"), ("bias", "b"))),
            ("self_attn.qkv_proj.v_proj_current.weight", "attention.V.W"),
            ("self_attn.qkv_proj.v_proj_current.bias", "attention.V.b"),
            ("self_attn.qkv_proj.v_proj_delayed.weight", "attention.W_late"),
            ("self_attn.qkv_proj.v_proj_delayed.bias", "attention.b_late"),
            *((f"self_attn.qkv_proj.conv_qk_{name}.{of}", f"attention.{our}_{i}")
              for i, name in enumerate(("depthwise", "grouped"), 1)
              for of, our in (("weight", "F"), ("bias", "b"))),
            ("self_attn.qk_norm.temp", "attention.temperature"),
            *((f"post_{name}_residual_scale.{part}_{of}", f"residual_{i}.{our}_{which}")
              for i, name in enumerate(("attention", "mlp"), 1)
              for part, which in (("hidden_states", "added"), ("residual", "kept"))
              for of, our in (("scale", "g"), ("bias", "b"))),
            ("mlp.gate.router_states_scale", "feed_forward.router.passed"),
            ("mlp.gate.router_mlp.norm.weight", "feed_forward.router.norm.g"),
            ("mlp.gate.router_mlp.out_proj.weight", "feed_forward.router.out.W"),
            *((f"mlp.gate.{name}.{of}", f"feed_forward.router.{ours}.{our}")
              for name, ours in (("down_proj", "down"), ("router_mlp.fc1", "inner_1"),
                                 ("router_mlp.fc2", "inner_2"))
              for of, our in (("weight", "W"), ("bias", "b"))),
        )
    },
}  # fmt: skip
KEYS: Mapping[str, Use] = {
    **{name: use for name, use in LLAMA_KEYS.items() if name != "intermediate_size"},
    "num_key_value_heads": SizeOf("h_kv"),
    "head_dim": SizeOf("d_h"),
    "attention_bias": Choice("attention_bias", BOOLS),
    "lm_head_bias": Choice("biased", BOOLS),
    "moe_intermediate_size": SizeOf("d_ff"),
    "num_experts": SizeOf("E"),
    "num_experts_per_tok": Only((1,), "the class refuses others"),
    "router_hidden_size": SizeOf("d_rt"),
    "output_router_logits": FREE,
    **dict.fromkeys((
        "layer_types", "sliding_window", "rope_parameters", "cca_time0", "cca_time1",
    ), Ruled()),
}  # fmt: skip
ZAYA = Family(
    "zaya",
    classes("zaya", "Zaya"),
    KEYS,
    (
        Rule(("num_hidden_layers",), _kinds),
        Rule(("head_dim",), _turned),
        Rule(("num_key_value_heads", "head_dim"), _kernels),
    ),
    everywhere(PARTS, KINDS),
)
