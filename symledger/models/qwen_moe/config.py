"""Qwen 1.5 to 3 with experts: the keys of the dense ones, and those of experts."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Choice, Only, Settings, SizeOf
from symledger.config_keys import window_keys as windows
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import EXPERTS as ROUTED
from symledger.config_keys.decoder_keys import FLOORED, LLAMA_KEYS, SPARSE, heads, layers
from symledger.config_keys.expert_keys import (
    BLOCK,
    LAYER,
    classes,
    layered,
    listed_dense,
    listed_or_between,
)
from symledger.config_keys.family import Built, Family, Rule, Ruled, Unless, Values

KEYS = {**LLAMA_KEYS, "use_mrope": Only((False,)), **windows.SWITCHED}


def dense_layers(values: Values) -> Settings:
    """Which layers are no mixture: those that are listed, and all between each so many.

    Raises:
        BadInput: the list is none of layers.
    """
    dense = sum(listed_or_between(values))
    return {"dense_layers": "true", "L_d": str(dense)} if dense else {"dense_layers": "false"}


EXPERTS = {
    "moe_intermediate_size": SizeOf("d_exp"),
    "num_experts": SizeOf("E"),
    "num_experts_per_tok": SizeOf("k"),
    "decoder_sparse_step": Ruled(),
    "mlp_only_layers": Ruled(),
    "norm_topk_prob": FREE,
    "output_router_logits": FREE,
}
SPARSITY = Rule(("num_hidden_layers",), dense_layers)

QWEN2_MOE = Family(
    "qwen2_moe",
    heads("qwen2_moe", "Qwen2Moe"),
    {
        **KEYS,
        **EXPERTS,
        "num_key_value_heads": SizeOf("h_kv"),
        "shared_expert_intermediate_size": SizeOf("d_sh"),
        "qkv_bias": Choice("qkv_bias"),
    },
    (FLOORED, *windows.beside_dense(
        windows.every_second_below, listed_or_between, switched=True, asked=True)),
    layered({
        **{name: tuple(o.replace("feed_forward.", "feed_forward.mixture.", 1) for o in ours)
           for name, ours in ROUTED.items()},
        **{f"{LAYER}mlp.shared_expert.{x}_proj.weight": (f"{BLOCK}shared_expert.{x}.W",)
           for x in ("gate", "up", "down")},
        f"{LAYER}mlp.shared_expert_gate.weight": (f"{BLOCK}shared_gate.W",),
    }),
)  # fmt: skip

QWEN3_MOE = Family(
    "qwen3_moe",
    heads("qwen3_moe", "Qwen3Moe"),
    {
        **KEYS,
        **EXPERTS,
        "num_local_experts": SizeOf("E"),
        "attention_bias": Choice("attention_bias"),
        "layer_types": Only((None,)),
        "shared_expert_intermediate_size": Only((0, None)),
        "qkv_bias": Only((False,)),
        "use_qk_norm": Only((True,)),
        "max_window_layers": FREE,
    },
    (FLOORED, *windows.windows(switched=True), SPARSITY),
    SPARSE,
)
"""With a window, all of its layers have it; ``max_window_layers`` is read by nothing."""


QWEN3_VL_MOE = Family(
    "qwen3_vl_moe_text",
    {"Qwen3VLMoeTextModel": Built("qwen3_moe", {"head": "bare"})},
    {
        **LLAMA_KEYS,
        **EXPERTS,
        "num_experts": SizeOf("E"),
        "num_local_experts": SizeOf("E"),
        "attention_bias": Choice("attention_bias"),
        "sliding_window": Only((None,)),
        "head_dim": Unless(SizeOf("d_h")),
    },
    (FLOORED, SPARSITY),
    SPARSE,
    implied={"windows": "none"},
)


def _listed(values: Values) -> list[bool]:
    """Return which layers are dense: those that are listed so, else none."""
    if values.get("mlp_layer_types") is None:
        return [False] * layers(values)
    return listed_dense(values)


def _none_of_them(values: Values, number: int) -> list[bool]:
    return [False] * number


MELLUM = Family(
    "mellum",
    classes("qwen3_moe", "Mellum"),
    {
        **LLAMA_KEYS,
        **EXPERTS,
        **windows.LISTED,
        "head_dim": SizeOf("d_h"),
        "attention_bias": Choice("attention_bias"),
        "num_local_experts": SizeOf("E"),
        "mlp_layer_types": Ruled(),
        **dict.fromkeys(("num_mtp_layers", "num_nextn_predict_layers"), Only((None, 0, 1))),
        **dict.fromkeys(("mtp_layer_types", "mtp_mlp_layer_types"), FREE),
    },
    windows.beside_dense(_none_of_them, _listed),
    layered(ROUTED),
)
"""The module that predicts a second token is not built."""
QWEN3_OMNI_MOE = replace(
    QWEN3_VL_MOE, model_type="qwen3_omni_moe_text",
    builds={"Qwen3OmniMoeThinkerTextModel": Built("qwen3_moe", {"head": "bare"})},
    uses={
        **QWEN3_VL_MOE.uses, "shared_expert_intermediate_size": Only((0, None)),
        "use_qk_norm": Only((True,)), "use_sliding_window": Only((False,)),
    },
)  # fmt: skip
"""The last keys stand in some files, and are read by nothing."""
