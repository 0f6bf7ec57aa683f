"""Gemma 4: Gemma 3's keys, heads of layers that see everything, and which layers share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ATTENTION, GATE, GATED, WIDTHS, layers
from symledger.config_keys.expert_keys import LAYER
from symledger.config_keys.family import Built, Context, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import everywhere
from symledger.config_keys.seeing_keys import TIED, generating, within
from symledger.config_keys.window_keys import LISTED, listed
from symledger.errors import BadInput, shown
from symledger.models.gemma.config import Cap

OWN = ("block", "windowed_block", "lending_block", "lending_windowed_block")
KINDS = (*OWN, "late_block", "late_windowed_block")
EVERY = 6
"""All layers but the last of so many have a window, where they are not listed."""
GLOBAL = 512
"""The width of a head that sees everything, where none is said."""


def _windowed(values: Values) -> list[bool]:
    """Return which layers have a window: never the last one, whatever the list says of it."""
    number, types = layers(values), values.get("layer_types")
    unsaid = [(i + 1) % EVERY != 0 for i in range(number)]
    found = unsaid if types is None else listed(types, number)
    return [*found[:-1], False]


def _stack(values: Values) -> Settings:
    """Say how many layers have a window, and which share keys and values of earlier ones."""
    near = _windowed(values)
    w = size("sliding_window", values["sliding_window"])
    found = {"windows": "some", "L_w": str(sum(near)), "w_max": str(w)} if any(near) else {
        "windows": "none"}  # fmt: skip
    found |= lending(near, size("num_kv_shared_layers", values["num_kv_shared_layers"], least=0))
    if found["shared"] != "none":
        found["doubled"] = BOOLS[bool(values.get("use_double_wide_mlp"))]
    return found


def lending(near: Sequence[bool], number: int) -> Settings:
    """Say which of the last so many layers share keys and values, where some see a window only.

    Raises:
        BadInput: no layer of a kind has keys and values of its own that others could use.
    """
    if not number:
        return {"shared": "none"}
    if number >= len(near) or {*near[:-number]} != {*near}:
        raise BadInput(
            f"num_kv_shared_layers = {number} of {len(near)} layers does not fit: of each kind of "
            "layer, with a window and without, one has to come before the shared ones. Choose less."
        )
    late, own = sum(near[-number:]), near[:-number]
    kind = "both" if 0 < late < number else "windowed" if late else "full"
    single = (kind != "full" and sum(own) == 1, kind != "windowed" and own.count(False) == 1)
    alone = {(True, True): "both", (True, False): "windowed", (False, True): "full"}
    found = {"shared": kind, "L_s": str(number), "alone": alone.get(single, "none")}
    return {**found, "L_sw": str(late)} if kind == "both" else found


def _heads(values: Values) -> Settings:
    """Return heads of layers that see everything: their width, and how many of keys and values."""
    alike, width = bool(values.get("attention_k_eq_v")), values.get("global_head_dim")
    heads = values.get("num_global_key_value_heads") if alike else None
    found = wider(values, _windowed(values), GLOBAL if width is None else width, heads)
    return {**found, "alike": BOOLS[alike]}


def wider(values: Values, near: Sequence[bool], width: object, heads: object) -> Settings:
    """Return heads of layers that see everything, those given unless layers say theirs."""
    h = size("num_attention_heads", values["num_attention_heads"])
    own = size("num_key_value_heads", values["num_key_value_heads"])
    said = values.get("per_layer_config")
    if said == {} or (said is None and "per_layer_config" in values):  # all are alike
        width, heads = values["head_dim"], None
    elif said is not None:
        width, heads = _listed(values, said, near)
    d_g = size("global_head_dim", width)
    h_g = own if heads is None else size("num_global_key_value_heads", heads)
    for number in (own, h_g):
        if h % number:
            raise BadInput(
                f"num_attention_heads = {h} does not divide among {number} heads of keys and "
                "values: each serves as many heads of queries."
            )
    return {"d_g": str(d_g), "h_g": str(h_g)}


def _listed(values: Values, said: object, near: Sequence[bool]) -> tuple[object, object]:
    """Return what is said of each layer that sees everything, which has to be the same of all.

    Raises:
        BadInput: it is said of others, or not the same of all, or something else is.
    """
    full = {i for i, windowed in enumerate(near) if not windowed}
    rows: Mapping[object, object] = said if isinstance(said, dict) else {}
    met = {int(str(i)) for i in rows if str(i).isdecimal()}
    first = next(iter(rows.values()), None)
    alike = isinstance(first, dict) and all(row == first for row in rows.values())
    if (
        met != full
        or not alike
        or not isinstance(first, dict)
        or ({*first} - {"head_dim", "num_key_value_heads"})
    ):
        raise BadInput(
            f"per_layer_config = {shown(written(said))} is not supported: head_dim and "
            "num_key_value_heads are meant, the same of every full_attention layer and of no other."
        )
    return first.get("head_dim", values["head_dim"]), first.get("num_key_value_heads")


def _fed(values: Values) -> Settings:
    """Say whether each layer has a table of its own, and how large it is."""
    width = size("hidden_size_per_layer_input", values["hidden_size_per_layer_input"], least=0)
    if not width and values["num_kv_shared_layers"]:
        raise BadInput(
            f"hidden_size_per_layer_input = 0 with num_kv_shared_layers = "
            f"{values['num_kv_shared_layers']} is not supported: the class builds it, and fails "
            "where it would run layers that share. Choose another of the two."
        )
    if not width:
        return {"fed": "false"}
    rows = size("vocab_size_per_layer_input", values["vocab_size_per_layer_input"])
    return {"fed": "true", "d_ple": str(width), "V_ple": str(rows)}


def _experts(values: Values) -> Settings:
    """Return how many experts there are beside the network, if any."""
    if not values.get("enable_moe_block"):
        return {"experts": "false"}
    names = {"E": "num_experts", "k": "top_k_experts", "d_exp": "moe_intermediate_size"}
    found = {symbol: size(name, values[name]) for symbol, name in names.items()}
    if found["k"] > found["E"]:
        raise BadInput(
            f"top_k_experts = {found['k']} is more than num_experts = {found['E']}: a token is "
            "sent to some of them."
        )
    return {"experts": "true", **{symbol: str(n) for symbol, n in found.items()}}


SEEN = "every token would see those after it too, which is not derived"
KEYS: Mapping[str, Use] = {
    **WIDTHS,
    "num_key_value_heads": SizeOf("h_kv"),
    "head_dim": SizeOf("d_h"),
    "hidden_activation": GATE,
    "attention_bias": Choice("attention_bias", BOOLS),
    "attention_dropout": FREE,
    "max_position_embeddings": Context(),
    **LISTED,
    **dict.fromkeys((
        "attention_k_eq_v", "global_head_dim", "num_global_key_value_heads", "per_layer_config",
        "num_kv_shared_layers", "use_double_wide_mlp",
    ), Ruled()),
    "use_bidirectional_attention": Only((None, "vision"), SEEN),
    "final_logit_softcapping": Cap("capped_logits"),
    **dict.fromkeys(("rope_parameters", "rope_scaling"), FREE),
}  # fmt: skip
FEEDING: Mapping[str, Use] = dict.fromkeys((
    "hidden_size_per_layer_input", "vocab_size_per_layer_input", "enable_moe_block",
    "num_experts", "top_k_experts", "moe_intermediate_size",
), Ruled())  # fmt: skip
NORMS = (
    "input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
    "post_feedforward_layernorm",
)  # fmt: skip
OTHERS = {
    **{f"{name}.weight": (f"block.norm_{i}.g",) for i, name in enumerate(NORMS, 1)},
    "per_layer_input_gate.weight": ("block.fed_gate.W",),
    "per_layer_projection.weight": ("block.fed.W",),
    "post_per_layer_input_norm.weight": ("block.fed_norm.g",),
    "router.scale": ("block.routed.router.scale",),
    "router.proj.weight": ("block.routed.router.W",),
    "router.per_expert_scale": ("block.routed.router.expert_scale",),
    "experts.gate_up_proj": tuple(f"block.routed.experts.W_{x}" for x in ("gate", "up")),
    "experts.down_proj": ("block.routed.experts.W_down",),
    "pre_feedforward_layernorm_2.weight": ("block.routed.norm.g",),
    "post_feedforward_layernorm_1.weight": ("block.dense_norm.g",),
    "post_feedforward_layernorm_2.weight": ("block.routed_norm.g",),
}
TABLES = {
    "model.embed_tokens_per_layer.weight": ("tables.E",),
    "model.per_layer_model_projection.weight": ("tables.map.W",),
    "model.per_layer_projection_norm.weight": ("tables.norm.g",),
}
TENSORS = everywhere({
    **ATTENTION, **GATED, **{f"{LAYER}{name}": ours for name, ours in OTHERS.items()}, **TABLES,
}, KINDS)  # fmt: skip
RULES = (
    Rule(("num_hidden_layers",), _stack),
    Rule(("num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim"), _heads),
)


def _classes(name: str) -> dict[str, Built]:
    return {f"{name}ForCausalLM": Built("gemma4", {"head": "lm"}),
            f"{name}TextModel": Built("gemma4", {"head": "bare"})}  # fmt: skip


GEMMA4 = Family(
    "gemma4_text",
    _classes("Gemma4"),
    {**KEYS, **FEEDING},
    (*RULES, Rule(("num_kv_shared_layers",), _fed), Rule((), _experts)),
    TENSORS,
)
GEMMA4_UNIFIED = Family(
    "gemma4_unified_text",
    _classes("Gemma4Unified"),
    KEYS,
    RULES,
    TENSORS,
    {"fed": "false", "experts": "false"},
)


def _implied(values: Values) -> Values:
    """Return the keys with what every DiffusionGemma is: values as keys, experts, nothing lent."""
    return {**values, "attention_k_eq_v": True, "enable_moe_block": True, "num_kv_shared_layers": 0}


def _implying(rule: Rule) -> Rule:
    return Rule(rule.keys, lambda values: rule.read(_implied(values)))


LEFT_OUT = ("attention_k_eq_v", "num_kv_shared_layers", "use_double_wide_mlp")
DIFFUSION_GEMMA = Family(
    "diffusion_gemma_text",
    {"DiffusionGemmaEncoderTextModel": Built("gemma4", {"head": "bare"})},
    {
        **{name: use for name, use in KEYS.items() if name not in LEFT_OUT},
        **{name: use for name, use in FEEDING.items() if "expert" in name or "moe_int" in name},
        "final_logit_softcapping": FREE,
    },
    tuple(_implying(rule) for rule in (*RULES, Rule((), _experts))),
    TENSORS,
    {"fed": "false"},
    needs=("num_experts", "top_k_experts", "moe_intermediate_size"),
)
"""What encodes a text, and what was written so far, for the blocks that are made of noise."""

APART = Only((None,), "its decoder alone is derived, without an encoder of images or of sounds")


def _whole(name: str, text: Family) -> Family:
    """Return the model that may see and hear, where its configuration has no part for that."""
    return Family(
        text.model_type.removesuffix("_text"),
        generating("gemma4", name),
        {**TIED, "vision_config": APART, "audio_config": APART, "initializer_range": FREE},
        (),
        within("model.language_model.", TENSORS),
        parts={"text_config": replace(text, uses={**text.uses, "tie_word_embeddings": FREE})},
    )


GEMMA4_WHOLE = _whole("Gemma4", GEMMA4)
GEMMA4_UNIFIED_WHOLE = _whole("Gemma4Unified", GEMMA4_UNIFIED)
