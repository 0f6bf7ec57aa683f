"""Gemma 3n (text): Gemma 4's keys without its second width of heads; streams and sparse gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ATTENTION, GATE, GATED, WIDTHS, layers
from symledger.config_keys.expert_keys import LAYER
from symledger.config_keys.family import AtLeast, Built, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import everywhere
from symledger.config_keys.window_keys import LISTED, listed
from symledger.errors import BadInput, shown
from symledger.models.gemma.config import Cap
from symledger.models.gemma4.config import KINDS, NORMS, TABLES, lending

EVERY = 5
"""All layers but the last of so many have a window, where they are not listed."""
FIRST = 10
"""So many first layers of more than that are sparse, where it is not said which are."""
SPARSE = ("sparse_block", "sparse_windowed_block")


def _near(values: Values) -> list[bool]:
    """Return which layers have a window."""
    number, types = layers(values), values.get("layer_types")
    return [(i + 1) % EVERY != 0 for i in range(number)] if types is None else listed(types, number)


def _stack(values: Values) -> Settings:
    """Say how many layers have a window, and which share keys and values of earlier ones."""
    near = _near(values)
    which = "some" if 0 < sum(near) < len(near) else "all" if any(near) else "none"
    found = {"windows": which}
    if which != "none":
        found["w_max"] = str(size("sliding_window", values["sliding_window"]))
    if which == "some":
        found["L_w"] = str(sum(near))
    number = size("num_kv_shared_layers", values["num_kv_shared_layers"], least=0)
    return {**found, **lending(near, number)}


def _widths(values: Values) -> Settings:
    """Return the hidden width of networks: one for all layers, or a list of the same.

    Raises:
        BadInput: layers have several, or not every layer has one.
    """
    said, number = values["intermediate_size"], layers(values)
    listed = said if isinstance(said, list) else [said] * number
    widths = [size("intermediate_size", width) for width in listed]
    if len(widths) != number:
        raise BadInput(
            f"intermediate_size = {shown(written(said))} does not name the widths of {number} "
            "layers: give one for each, or one for all."
        )
    if len({*widths}) > 1:
        raise BadInput(
            f"intermediate_size = {shown(written(said))} is not supported: networks of one width "
            "in all layers are derived."
        )
    return {"d_ff": str(widths[0])}


def _few(values: Values) -> list[bool]:
    """Return which layers keep few of their gates.

    Raises:
        BadInput: not every layer has a share that is left out, or it is none.
    """
    number, said = layers(values), values.get("activation_sparsity_pattern")
    if said is None:
        return [i < FIRST < number for i in range(number)]
    shares = said if isinstance(said, list) else []
    numbers = [x for x in shares if isinstance(x, int | float) and not isinstance(x, bool)]
    if len(numbers) != number or len(shares) != number or not all(0 <= x < 1 for x in numbers):
        raise BadInput(
            f"activation_sparsity_pattern = {shown(written(said))} does not fit: a share for each "
            f"of {number} layers is meant, at least 0 and below 1."
        )
    return [x > 0 for x in numbers]


def _sparse(values: Values) -> Settings:
    """Say which layers keep few of their gates: the first of those that lend nothing, or all.

    Raises:
        BadInput: others do, or all of a kind do and others do not.
    """
    few, near = _few(values), _near(values)
    if not any(few) or all(few):
        return {"sparse": "all" if any(few) else "none"}
    number = size("num_kv_shared_layers", values["num_kv_shared_layers"], least=0)
    plain = _plain(near, number)
    of = {kind: [few[i] for i in plain if near[i] is kind] for kind in (True, False)}
    counts = {kind: sum(found) for kind, found in of.items()}
    if sum(counts.values()) < sum(few) or any(found and all(found) for found in of.values()):
        raise BadInput(
            f"activation_sparsity_pattern = {shown(written(values['activation_sparsity_pattern']))}"
            " is not supported: of the layers that lend no keys and values and use no others', "
            "some with a window and some without may be sparse, but not all; or all layers are."
        )
    which = {(True, True): "both", (True, False): "windowed", (False, True): "full"}
    found = {"sparse": which[bool(counts[True]), bool(counts[False])]}
    if counts[True]:
        found["L_zw"] = str(counts[True])
    return {**found, "L_z": str(counts[False])} if counts[False] else found


def _plain(near: Sequence[bool], number: int) -> list[int]:
    """Return the layers that neither lend keys and values nor use those of others."""
    own = len(near) - number
    last = {kind: max((i for i in range(own) if near[i] is kind), default=-1)
            for kind in {*near[own:]}}  # fmt: skip
    return [i for i in range(own) if i not in last.values()]


def _heads(values: Values) -> Settings:
    """Refuse heads of queries that do not fit those of keys, or the width.

    Raises:
        BadInput: the one does not divide the other.
    """
    h = size("num_attention_heads", values["num_attention_heads"])
    for key, whole, part in (
        ("hidden_size", size("hidden_size", values["hidden_size"]), h),
        ("num_attention_heads", h, size("num_key_value_heads", values["num_key_value_heads"])),
    ):
        if whole % part:
            raise BadInput(f"{key} = {whole} does not divide among {part} heads.")
    return {}


def _active(values: Values) -> Settings:
    """Refuse a stream to be computed that there is none of; which it is changes no count."""
    number = size("altup_num_inputs", values["altup_num_inputs"])
    active = values["altup_active_idx"]
    if size("altup_active_idx", active, least=0) >= number:
        raise BadInput(
            f"altup_active_idx = {active} does not fit: of altup_num_inputs = {number} streams one "
            "is meant, counted from 0."
        )
    return {}


USES: Mapping[str, Use] = {
    **WIDTHS,
    "intermediate_size": Ruled(),
    "num_key_value_heads": SizeOf("h_kv"),
    "head_dim": SizeOf("d_h"),
    "hidden_activation": GATE,
    "attention_bias": Choice("attention_bias", BOOLS),
    "attention_dropout": FREE,
    **LISTED,
    **dict.fromkeys((
        "num_kv_shared_layers", "activation_sparsity_pattern", "altup_active_idx",
    ), Ruled()),
    "hidden_size_per_layer_input": SizeOf("d_ple"),
    "vocab_size_per_layer_input": SizeOf("V_ple"),
    "altup_num_inputs": AtLeast("n_s", least=2),
    "altup_coef_clip": FREE,
    "altup_lr_multiplier": FREE,
    "altup_correct_scale": Only((True,), "a weight would be there that nothing reads"),
    "laurel_rank": SizeOf("d_r"),
    "final_logit_softcapping": Cap("capped_logits"),
    "query_pre_attn_scalar": FREE,
    **dict.fromkeys(("rope_parameters", "rope_scaling"), FREE),
}  # fmt: skip
"""``altup_lr_multiplier`` and ``query_pre_attn_scalar`` stand in files, and are read by nothing."""
OTHERS = {
    **{f"{name}.weight": (f"block.norm_{i}.g",) for i, name in enumerate(NORMS, 1)},
    "per_layer_input_gate.weight": ("block.fed_gate.W",),
    "per_layer_projection.weight": ("block.fed.W",),
    "post_per_layer_input_norm.weight": ("block.fed_norm.g",),
    "altup.correct_output_scale": ("block.scale",),
    "altup.correction_coefs.weight": ("block.correct.g.W",),
    "altup.prediction_coefs.weight": ("block.predict.P.W",),
    "altup.modality_router.weight": ("block.before.W_router",),
    "altup.router_norm.weight": ("block.before.g_router",),
    "laurel.linear_left.weight": ("block.residual.down.W",),
    "laurel.linear_right.weight": ("block.residual.up.W",),
    "laurel.post_laurel_norm.weight": ("block.residual.norm.g",),
}
TENSORS = everywhere({
    **ATTENTION, **GATED, **{f"{LAYER}{name}": ours for name, ours in OTHERS.items()}, **TABLES,
    "model.altup_projections.*.weight": ("widen.W",),
    "model.altup_unembed_projections.*.weight": ("join.W",),
}, (*KINDS, *SPARSE))  # fmt: skip
GEMMA3N = Family(
    "gemma3n_text",
    {"Gemma3nForCausalLM": Built("gemma3n", {"head": "lm"}),
     "Gemma3nTextModel": Built("gemma3n", {"head": "bare"})},
    USES,
    (
        Rule(("num_hidden_layers",), _stack),
        Rule(("num_hidden_layers",), _widths),
        Rule(("num_hidden_layers",), _sparse),
        Rule(("hidden_size", "num_attention_heads", "num_key_value_heads"), _heads),
        Rule(("altup_num_inputs",), _active),
    ),
    TENSORS,
)  # fmt: skip
