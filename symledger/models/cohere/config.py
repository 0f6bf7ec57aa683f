"""Cohere's Command R, and Command R7B and A."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import (
    BOOLS,
    Choice,
    Maybe,
    Number,
    Only,
    Settings,
    SizeOf,
    size,
    written,
)
from symledger.config_keys import window_keys as windows
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    ACTIVATION,
    AFFINE,
    DENSE,
    EXPERTS,
    FLOORED,
    WIDTHS,
    heads,
    layers,
)
from symledger.config_keys.expert_keys import LAYER, classes, layered, listed_dense
from symledger.config_keys.family import Built, Family, Rule, Ruled, Unless, Values
from symledger.errors import BadInput

FLAG: Mapping[object, str] = {True: "true", False: "false", None: "false"}

COHERE = Family(
    "cohere",
    {
        "CohereForCausalLM": Built("cohere", {"head": "lm"}),
        "CohereModel": Built("cohere", {"head": "bare"}),
    },
    {
        **WIDTHS,
        "hidden_act": ACTIVATION,
        "attention_bias": Choice("bias", BOOLS),
        "use_qk_norm": Choice("qk_norm", FLAG),
        "logit_scale": Number(),
    },
    (FLOORED,),
    AFFINE,
)

COHERE2 = Family(
    "cohere2",
    heads("cohere2", "Cohere2", tokens=False, spans=False, sequences=False),
    {**WIDTHS, "hidden_act": ACTIVATION, "attention_bias": Choice("bias"),
     "attention_dropout": FREE, "logit_scale": Number(),
     **windows.LISTED, "sliding_window_pattern": Ruled(), "use_qk_norm": FREE,
     "cache_implementation": FREE, "layer_switch": FREE, "order_of_interleaved_layers": FREE,
     "position_embedding_type": FREE, "rotary_pct": FREE, "use_embedding_sharing": FREE,
     "use_gated_activation": FREE, "use_parallel_block": FREE,
     "use_parallel_embedding": FREE},
    (FLOORED, *windows.windows(
        windows.all_but_each(4, "sliding_window_pattern"), asked=True,
    )),
    DENSE,
)  # fmt: skip
"""Its published files hold keys of another implementation, which its class does not read."""


def _everywhere(values: Values, number: int) -> list[bool]:
    return [False] * number


def _told(values: Values) -> Settings:
    """Say whether layers without a window are told positions.

    Raises:
        BadInput: it is not said of a kind of layers that there is, or no positions of windows.
    """
    said = windows.by_kind(values)
    listed = values.get("layer_types") or [windows.FULL]
    kinds = set(filter(windows.is_kind, listed if isinstance(listed, list) else ()))
    missing = sorted(kinds - set(said))
    if missing or (windows.SLIDING in kinds and said[windows.SLIDING] is None):
        raise BadInput(
            f"rope_parameters = {written(values.get('rope_parameters'))} does not say how "
            f"positions turn heads in layers of {missing[0] if missing else windows.SLIDING}: the "
            "class asks for it."
        )
    return {"turned_everywhere": BOOLS[said.get(windows.FULL) is not None]}


COMPASS = Family(
    "cohere_compass_text",
    {"CohereCompassForCausalLM": Built("cohere2", {"head": "lm"}),
     "CohereCompassTextModel": Built("cohere2", {"head": "bare"})},
    {**WIDTHS, "hidden_act": ACTIVATION, "attention_bias": Choice("bias"),
     "attention_dropout": FREE, "logit_scale": Unless(Number()), "pooling": Only((None,)),
     "rope_parameters": Ruled(), **windows.LISTED},
    (FLOORED, Rule((), _told), *windows.windows(_everywhere)),
    DENSE,
)  # fmt: skip


def _first(values: Values) -> int:
    first = values.get("first_k_dense_replace")
    return 0 if first is None else size("first_k_dense_replace", first, least=0)


def _prefixed(values: Values, number: int) -> list[bool]:
    """All layers but the last of every so many, counted anew behind those that are dense."""
    first = _first(values)
    every, before = (size(name, values[name]) for name in (
        "sliding_window_pattern", "prefix_dense_sliding_window_pattern",
    ))  # fmt: skip
    return [(i + 1) % before != 0 if i < first else (i - first + 1) % every != 0
            for i in range(number)]  # fmt: skip


def _dense(values: Values) -> list[bool]:
    if values.get("mlp_layer_types") is not None:
        return listed_dense(values)
    return [i < _first(values) for i in range(layers(values))]


def _widths(values: Values) -> Settings:
    """Return how wide dense layers are, and whether those without a window are told positions."""
    own = values["prefix_dense_intermediate_size"]
    width = values["intermediate_size"] if own is None else own
    told = values["prefix_dense_sliding_window_pattern"] == 1
    return {"d_ff": str(size("prefix_dense_intermediate_size", width)),
            "dense_turned": BOOLS[told and any(_dense(values))]}  # fmt: skip


COHERE2_MOE = Family(
    "cohere2_moe",
    classes("cohere2_moe", "Cohere2Moe"),
    {
        **WIDTHS,
        **windows.LISTED,
        "hidden_act": ACTIVATION,
        "intermediate_size": SizeOf("d_exp"),
        "attention_bias": Choice("bias"),
        "logit_scale": Number(),
        "num_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        "num_shared_experts": Maybe("E_s", "shared"),
        "shared_expert_combination_strategy": Only(("average", "sum")),
        "expert_selection_fn": Only(("softmax", "sigmoid")),
        "rms_norm_eps": Only((None,), "all norms would be others, without a mean"),
        "mlp_layer_types": Ruled(),
        "first_k_dense_replace": Ruled(),
        **dict.fromkeys(
            ("sliding_window_pattern", "prefix_dense_sliding_window_pattern",
             "prefix_dense_intermediate_size"), Ruled(),
        ),
        **dict.fromkeys(("norm_topk_prob", "output_router_logits", "attention_dropout"), FREE),
    },
    (FLOORED, Rule(("intermediate_size",), _widths),
     *windows.beside_dense(_prefixed, _dense, asked=True)),
    layered({
        **EXPERTS,
        **{f"{LAYER}mlp.shared_experts.{x}_proj.weight": (
            f"block.feed_forward.shared_experts.{x}.W",) for x in ("gate", "up", "down")},
    }),
)  # fmt: skip
