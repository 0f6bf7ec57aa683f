"""Step 3.5: LLaMA's keys, windows, heads of layers that have one, and experts with a network."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any

from symledger.arguments.specs import (
    BOOLS,
    Choice,
    Free,
    Only,
    Settings,
    SizeOf,
    Use,
    size,
    written,
)
from symledger.config_keys.common import FREE, SHARE
from symledger.config_keys.decoder_keys import ATTENTION, EXPERTS, LLAMA_KEYS, layers, turned
from symledger.config_keys.expert_keys import LAYER, layered, listed_dense
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import FULL, LISTED, SLIDING, beside_dense, listed
from symledger.errors import BadInput, shown

HEADS = "num_attention_heads"
PADDED = ("layer_types", "mlp_layer_types", "partial_rotary_factors")
"""Lists that older files continue with layers that predict further tokens, which are not built."""


def _trimmed(values: Values) -> dict[str, Any]:
    """Return the keys with lists that are as long as there are layers."""
    further = size("num_nextn_predict_layers", values.get("num_nextn_predict_layers", 0), least=0)
    number, found = layers(values), dict(values)
    for name in PADDED:
        said = values.get(name)
        if isinstance(said, list) and len(said) == number + further:
            found[name] = said[:number]
    return found


def _trimming(rule: Rule) -> Rule:
    """Return a rule that reads lists as long as there are layers."""
    return Rule(rule.keys, lambda values: rule.read(_trimmed(values)))


def _near(values: Values) -> list[bool]:
    """Return which layers have a window: those that are listed, else none."""
    number, types = layers(values), values.get("layer_types")
    return [False] * number if types is None else listed(types, number)


def _none_of_them(values: Values, number: int) -> list[bool]:
    return [False] * number


def _dense(values: Values) -> list[bool]:
    """Return which layers are dense: as listed, else all but the numbered ones, else the first."""
    if values.get("mlp_layer_types") is not None:
        return listed_dense(values)
    number, said = layers(values), values.get("moe_layers_enum")
    if said is None:
        return [i < 3 for i in range(number)]
    items = said.split(",") if isinstance(said, str) else said
    texts = [str(i).strip() for i in items] if isinstance(items, list) else ["?"]
    if not all(text.isdecimal() or not text for text in texts):
        raise BadInput(
            f"moe_layers_enum = {shown(written(said))} is no list of numbers of layers, of those "
            "that have experts."
        )
    sparse = {int(text) for text in texts if text}
    return [i not in sparse for i in range(number)]


def _heads(values: Values) -> Settings:
    """Return how many query heads layers with a window have, and the others.

    Raises:
        BadInput: layers of one kind have not all as many, or differ in something else.
    """
    near, h = _near(values), size(HEADS, values[HEADS])
    every = [_other(values, h) if is_near else h for is_near in near]
    if "per_layer_config" in values:
        every = [h] * len(near)
        for i, row in _rows(values["per_layer_config"], len(near)).items():
            every[i] = size(HEADS, row[HEADS]) if HEADS in row else h
    met = [{n for n, of in zip(every, near, strict=True) if of is kind} for kind in (False, True)]
    if any(len(found) > 1 for found in met):
        raise BadInput(
            f"per_layer_config with {HEADS} of {shown(written(every))} is not supported: layers of "
            "one kind of layer_types have to have as many heads."
        )
    full, windowed = (next(iter(found), None) for found in met)
    said = {"h": windowed if full is None else full, "h_w": full if windowed is None else windowed}
    return {name: str(n) for name, n in said.items()}


def _other(values: Values, h: int) -> int:
    """Return how many heads layers with a window are said to have, in newer words or older ones."""
    said, older = values.get("num_sliding_attention_heads"), values.get("attention_other_setting")
    if said is not None:
        return size("num_sliding_attention_heads", said)
    if not older:
        return h
    own = {"num_attention_groups": values["num_key_value_heads"], "head_dim": values["head_dim"],
           "true_head_dim": values["head_dim"], "attention_type": SLIDING}  # fmt: skip
    if not isinstance(older, dict) or any(
        name != HEADS and own.get(name) != value for name, value in older.items()
    ):
        raise BadInput(
            f"attention_other_setting = {shown(written(older))} is not supported: another {HEADS} "
            f"of {SLIDING} layers is meant, all else as of the others."
        )
    return size(HEADS, older.get(HEADS, h))


def _rows(said: object, number: int) -> Mapping[int, Mapping[str, object]]:
    """Return what is said of layers one by one.

    Raises:
        BadInput: it is said of others, or another key is.
    """
    rows = {} if said is None else said
    if not isinstance(rows, dict) or not all(
        str(i).isdecimal() and int(str(i)) < number and isinstance(row, dict) and {*row} <= {HEADS}
        for i, row in rows.items()
    ):
        raise BadInput(
            f"per_layer_config = {shown(written(said))} is not supported: {HEADS} of some of the "
            f"{number} layers is meant."
        )
    return {int(str(i)): row for i, row in rows.items()}


def _turned(values: Values) -> Settings:
    """Return how much of a head is turned where no window is; where one is, it is all of it.

    Raises:
        BadInput: it is less than all of it.
    """
    near, width = _near(values), size("head_dim", values["head_dim"])
    found = {kind: _share(values, kind, near.index(of))
             for kind, of in ((FULL, False), (SLIDING, True)) if of in near}  # fmt: skip
    if found.get(SLIDING, 1) != 1:
        raise BadInput(
            f"{SHARE} = {written(found[SLIDING])} of {SLIDING} layers is not supported: they turn "
            "all of a head. Say 1.0, or leave it out."
        )
    return turned({SHARE: found[FULL]}, SHARE, 1.0, width) if FULL in found else {"partly": "false"}


def _share(values: Values, kind: str, first: int) -> object:
    """Return the share of a head that layers of a kind turn, of which ``first`` is one."""
    said, older = values.get("rope_parameters"), values.get("partial_rotary_factors")
    if said is None and not older:
        return 1.0
    if said is None:
        if not isinstance(older, list) or len(older) < layers(values):
            raise BadInput(
                f"partial_rotary_factors = {shown(written(older))} is no share of a head for each "
                f"of {layers(values)} layers."
            )
        return older[first]
    inside = said.get(kind) if isinstance(said, dict) else None
    if not isinstance(inside, dict):
        raise BadInput(
            f"rope_parameters = {shown(written(said))} does not say of {kind} layers how positions "
            "turn heads: the class reads it by kind. Leave it out."
        )
    return inside.get(SHARE, 1.0)


def _reaching(values: Values) -> Settings:
    """Refuse lists of numbers of layers, which change no count, that do not reach all of them."""
    for name in ("rope_theta", "swiglu_limits", "swiglu_limits_shared"):
        said = values.get(name)
        alone = name == "rope_theta" and type(said) in (int, float)
        if not said or alone:
            continue
        if (
            not isinstance(said, list)
            or len(said) < layers(values)
            or not all(type(x) in (int, float, NoneType) for x in said)
        ):
            raise BadInput(
                f"{name} = {shown(written(said))} is no number for each of {layers(values)} layers."
            )
    return {}


KEYS: Mapping[str, Use] = {
    **{name: use for name, use in LLAMA_KEYS.items() if name != HEADS},
    **LISTED,
    "hidden_act": FREE,
    "num_key_value_heads": SizeOf("h_kv"),
    "head_dim": SizeOf("d_h"),
    "attention_bias": Choice("attention_bias", BOOLS),
    "moe_intermediate_size": SizeOf("d_exp"),
    "share_expert_dim": SizeOf("d_sh"),
    "n_routed_experts": SizeOf("E"),
    "num_experts_per_tok": SizeOf("k"),
    **dict.fromkeys((
        HEADS, "num_sliding_attention_heads", "attention_other_setting", "per_layer_config",
        "mlp_layer_types", "moe_layers_enum", "rope_parameters", "partial_rotary_factors",
        "rope_theta", "swiglu_limits", "swiglu_limits_shared", "num_nextn_predict_layers",
    ), Ruled()),
    "mlp_bias": Only((False,)),
    "gating": Only((True, "per-head"), "a gate of every element fails where it is multiplied"),
    "use_bidirectional_attention": Only((False,)),
    "moe_router_scaling_factor": Free((float, int)),
    **dict.fromkeys((
        "output_router_logits", "query_pre_attn_scalar", "mtp_layer_types",
        "mtp_mlp_layer_types",
    ), FREE),
}  # fmt: skip
SHARED = {
    f"{LAYER}mlp.shared_experts.{x}_proj.weight": (f"block.feed_forward.shared_experts.{x}.W",)
    for x in ("gate", "up", "down")
}

STEP35 = Family(
    "step3p5",
    {"Step3p7TextModel": Built("step3p5", {"head": "bare"})},
    KEYS,
    tuple(_trimming(rule) for rule in (
        Rule(("num_hidden_layers", HEADS, "num_key_value_heads", "head_dim"), _heads),
        Rule(("num_hidden_layers", "head_dim"), _turned),
        Rule(("num_hidden_layers",), _reaching),
        *beside_dense(_none_of_them, _dense),
    )),
    layered(
        {**EXPERTS, **SHARED},
        {**ATTENTION, f"{LAYER}self_attn.g_proj.weight": ("block.attention.gate.W",)},
    ),
)  # fmt: skip
"""What ``hidden_act`` says the class reads no more: gates go through a SiLU."""
