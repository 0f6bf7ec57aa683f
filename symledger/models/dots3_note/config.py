"""dots3-note: DeepSeek-V3.2's keys, and those of layers with a window, which have other sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symledger.arguments.specs import Settings, SizeOf, Use, among, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import layers
from symledger.config_keys.expert_keys import grouped, listed_dense
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import FULL, SLIDING, beside_dense
from symledger.errors import BadInput, shown
from symledger.models.deepseek.config import USES, one_for_all
from symledger.models.deepseek_v32.config import tensors as indexed_tensors
from symledger.models.deepseek_v32.config import turned_less

INDEXED = "indexed_attention"
WIDTHS = {
    "num_attention_heads": "h_w", "q_lora_rank": "d_qw", "kv_lora_rank": "d_cw",
    "qk_nope_head_dim": "d_hw", "qk_rope_head_dim": "d_rw", "v_head_dim": "d_vw",
}  # fmt: skip
"""What may differ where a window is, and the symbol that it has there."""
OTHERWISE = {
    "num_attention_heads": 64, "num_key_value_heads": 64, "q_lora_rank": 1024,
    "kv_lora_rank": 1024, "head_dim": 256, "qk_nope_head_dim": 192, "v_head_dim": 128,
}  # fmt: skip
"""The same by default, as older files may say it behind ``swa_``."""


def _kinds(values: Values) -> list[str]:
    """Return the kind of every layer: as listed, or after the first two a window in three of four.

    Where layers are not described one by one, those that see everything are all indexed, or none.
    """
    number, listed = layers(values), values.get("layer_types")
    used = values.get("use_dsa", None if "per_layer_config" in values else True)
    if listed is None:
        every = values.get("use_sliding_window", True)
        full = FULL if used is False else INDEXED
        return [full if not every or i < 2 or i % 4 == 1 else SLIDING for i in range(number)]
    if not isinstance(listed, list) or len(listed) != number:
        raise BadInput(
            f"layer_types = {shown(written(listed))} does not name the kinds of {number} layers."
        )
    found = [str(among("layer_types", kind, (SLIDING, FULL, INDEXED))) for kind in listed]
    if used is None:
        return found
    old, new = (FULL, INDEXED) if used else (INDEXED, FULL)
    return [new if kind == old else kind for kind in found]


def _stacked(values: Values) -> Values:
    """Return the keys with what they say of layers written in the words of other families."""
    kinds = [SLIDING if kind == SLIDING else FULL for kind in _kinds(values)]
    window = values.get("sliding_window")
    if window is None:
        window = values.get("sliding_window_size", 512)
    return {**values, "layer_types": kinds, "sliding_window": window,
            "mlp_layer_types": ["dense" if d else "sparse" for d in _dense(values)]}  # fmt: skip


def _dense(values: Values) -> list[bool]:
    """Return which layers have no experts: as listed, else the first, and others by a step."""
    if values.get("mlp_layer_types") is not None:
        return listed_dense(values)
    number, step = layers(values), values.get("moe_layer_freq", 1)
    first = size("first_k_dense_replace", values.get("first_k_dense_replace", 1), least=0)
    if isinstance(step, list):
        if len(step) < number:
            raise BadInput(
                f"moe_layer_freq = {shown(written(step))} says less than of {number} layers."
            )
        return [i < first or not step[i] for i in range(number)]
    each = size("moe_layer_freq", step)
    return [i < first or i % each != 0 for i in range(number)]


def _indexed(values: Values) -> Settings:
    """Say whether layers that see everything have an indexer.

    Raises:
        BadInput: some of them have one, and some have none.
    """
    met = {*_kinds(values)} - {SLIDING}
    if len(met) > 1:
        raise BadInput(
            f"layer_types with {FULL} and {INDEXED} beside each other is not supported: all of "
            "them are indexed, or none."
        )
    return {"indexed": "true" if INDEXED in met else "false"}


def _near(values: Values) -> Settings:
    """Return the sizes of layers with a window, if there are any.

    Raises:
        BadInput: they do not fit each other, or layers are described of which nothing may be said.
    """
    kinds = _kinds(values)
    said = _row(values, {i for i, kind in enumerate(kinds) if kind == SLIDING})
    for kind, of in ((SLIDING, {**values, **said}), (INDEXED, values), (FULL, values)):
        if kind in kinds:
            _fitting(kind, of)
    if SLIDING not in kinds:
        return {}
    return {symbol: str(size(name, said.get(name, values[name])))
            for name, symbol in WIDTHS.items()}  # fmt: skip


def _row(values: Values, near: set[int]) -> Mapping[str, Any]:
    """Return what is said of layers with a window, where it is not what is said of all."""
    if "per_layer_config" not in values:
        found = {n: values.get(f"swa_{n}", otherwise) for n, otherwise in OTHERWISE.items()}
        turned = size("head_dim", found["head_dim"]) - size(
            "qk_nope_head_dim", found["qk_nope_head_dim"]
        )
        return {**found, "qk_rope_head_dim": values.get("swa_qk_rope_head_dim", turned)}
    said = values["per_layer_config"]
    rows: Mapping[object, Any] = said if isinstance(said, dict) else {}
    met = {int(str(i)) for i in rows if str(i).isdecimal()}
    first: Any = next(iter(rows.values()), {})
    known = {*OTHERWISE, "qk_rope_head_dim"}
    if said and (
        met != near
        or not isinstance(first, dict)
        or {*first} - known
        or any(row != first for row in rows.values())
    ):
        raise BadInput(
            f"per_layer_config = {shown(written(said))} is not supported: "
            f"{', '.join(sorted(known))} are meant, the same of every {SLIDING} layer and of no "
            "other."
        )
    return first if isinstance(first, dict) else {}


def _fitting(kind: str, values: Values) -> None:
    """Refuse sizes of a kind of layer that the class refuses, or fails on."""
    one_for_all(values)
    width, plain, turned = (
        size(name, values[name]) for name in ("head_dim", "qk_nope_head_dim", "qk_rope_head_dim")
    )
    if kind == SLIDING and width != plain + turned:
        raise BadInput(
            f"head_dim = {width} of {SLIDING} layers does not fit qk_nope_head_dim = {plain} and "
            f"qk_rope_head_dim = {turned}, which add up to {plain + turned}."
        )
    if int(width * (turned / width)) != turned or turned % 2:
        raise BadInput(
            f"qk_rope_head_dim = {turned} of {kind} layers with head_dim = {width} is not "
            "supported: an even number is turned, which the class computes as a share of a head."
        )
    if kind == INDEXED:
        turned_less(values)


def _beside(values: Values) -> Settings:
    """Return the width of the network beside the experts: that of all shared ones together."""
    older = values.get("moe_shared_expert_intermediate_size")
    name = "moe_shared_expert_intermediate_size" if older is not None else (
        "shared_experts_intermediate_size")  # fmt: skip
    number = size("n_shared_experts", values["n_shared_experts"])
    return {"d_sh": str(number * size(name, values[name]))}


def _roped(values: Values) -> Settings:
    """Refuse positions that are said of some kinds of layers, but not of all."""
    said = values.get("rope_parameters")
    kinds = {*_kinds(values)}
    if isinstance(said, dict) and {SLIDING, FULL, INDEXED} & {*said} and not kinds <= {*said}:
        raise BadInput(
            f"rope_parameters = {shown(written(said))} does not fit: it is said of some kinds of "
            f"layers, and not of {', '.join(sorted(kinds - {*said}))}. Leave it out."
        )
    return {}


KINDS = ("block", "dense_block")
ALSO = {"k_rope_only_layernorm.weight": "norm_K.g", "g_proj.weight": "gate.W"}


def _tensors() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the implementation, of each kind of layer."""
    known = {name: tuple(x for x in ours if not x.startswith("told_"))
             for name, ours in indexed_tensors().items()}  # fmt: skip
    known |= {
        f"model.layers.*.self_attn.{theirs}": tuple(f"{kind}.attention.{ours}" for kind in KINDS)
        for theirs, ours in ALSO.items()
    }
    return {name: (*ours, *(f"windowed_{one}" for one in ours if one.split(".")[0] in KINDS))
            for name, ours in known.items()}  # fmt: skip


def _stacking(rule: Rule) -> Rule:
    return Rule(rule.keys, lambda values: rule.read(_stacked(values)))


KEYS: Mapping[str, Use] = {
    **{name: use for name, use in USES.items() if name not in ("n_shared_experts", "scoring_func")},
    "num_experts_per_tok": SizeOf("k"),
    "q_lora_rank": SizeOf("d_q"),
    "index_n_heads": SizeOf("n_i"),
    "index_head_dim": SizeOf("d_x"),
    "mlp_bias": FREE,
    "index_topk": FREE,
    **dict.fromkeys((
        "head_dim", "mlp_layer_types", "layer_types", "moe_layer_freq", "n_shared_experts",
        "shared_experts_intermediate_size", "moe_shared_expert_intermediate_size",
        "sliding_window", "sliding_window_size", "use_dsa", "use_sliding_window",
        "per_layer_config", "rope_parameters", *(f"swa_{name}" for name in OTHERWISE),
        "swa_qk_rope_head_dim",
    ), Ruled()),
    "swa_rope_theta": FREE,
}  # fmt: skip
DOTS3_NOTE = Family(
    "dots3_note_text",
    {
        "Dots3NoteForCausalLM": Built("dots3_note", {"head": "lm"}),
        "Dots3NoteTextModel": Built("dots3_note", {"head": "bare"}),
    },
    KEYS,
    (
        Rule(("num_hidden_layers",), _indexed),
        Rule(("num_hidden_layers", *WIDTHS), _near),
        *(_stacking(rule) for rule in beside_dense(lambda _, number: [False] * number, _dense)),
        Rule((), _beside),
        Rule((), _roped),
        grouped(2),
    ),
    _tensors(),
)  # fmt: skip
"""No class reads ``mlp_bias``, nor how many positions are chosen for anything but a mask."""
