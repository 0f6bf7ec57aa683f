"""Qwen 1.5 to 3, dense and with experts."""

from __future__ import annotations

from symledger.arguments import Choice, Only, Settings, Size, size, written
from symledger.configurations.common import FREE
from symledger.configurations.families import windows
from symledger.configurations.families.shared import DENSE, SPARSE, WIDTHS, heads, layers
from symledger.configurations.family import Family, Rule, Ruled, Values
from symledger.errors import BadInput

KEYS = {
    **WIDTHS,
    "hidden_act": Only(("silu", "swish")),
    "attention_dropout": FREE,
    "use_mrope": Only((False,)),
    **windows.SWITCHED,
}

QWEN2 = Family(
    "qwen2",
    heads("qwen2", "Qwen2"),
    KEYS,
    windows.windows(windows.from_layer_on, switched=True),
    DENSE,
)

QWEN3 = Family(
    "qwen3",
    heads("qwen3", "Qwen3"),
    {**KEYS, "attention_bias": Choice("attention_bias")},
    windows.windows(windows.from_layer_on, switched=True),
    DENSE,
)


def dense_layers(values: Values) -> Settings:
    """Which layers are no mixture: those that are listed, and all between each so many.

    Raises:
        BadInput: the list is none of layers, or no layer is a mixture.
    """
    listed = values["mlp_only_layers"]
    listed = [] if listed is None else listed
    if not isinstance(listed, list) or not all(type(i) is int and i >= 0 for i in listed):
        raise BadInput(f"mlp_only_layers = {written(listed)} is no list of layers, from 0 on.")
    number = layers(values)
    step = size("decoder_sparse_step", values["decoder_sparse_step"])
    listed = set(listed)
    dense = sum(i in listed or (i + 1) % step != 0 for i in range(number))
    if dense == number:
        raise BadInput(
            "no layer has experts by mlp_only_layers and decoder_sparse_step: "
            "that is not supported. Write the dense model's configuration."
        )
    return {"dense_layers": "true", "L_d": str(dense)} if dense else {"dense_layers": "false"}


EXPERTS = {
    "moe_intermediate_size": Size("d_exp"),
    "num_experts": Size("E"),
    "num_experts_per_tok": Size("k"),
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
        "shared_expert_intermediate_size": Size("d_sh"),
        "qkv_bias": Choice("qkv_bias"),
    },
    (*windows.windows(windows.every_second_below, switched=True), SPARSITY),
    {
        **{name: tuple(o.replace("feed_forward.", "feed_forward.mixture.", 1)
                       if "router" in o or "experts" in o else o for o in ours)
           for name, ours in SPARSE.items()},
        "model.layers.*.mlp.shared_expert.gate_proj.weight": (
            "block.feed_forward.shared_expert.gate.W",),
        "model.layers.*.mlp.shared_expert.up_proj.weight": (
            "block.feed_forward.shared_expert.up.W",),
        "model.layers.*.mlp.shared_expert.down_proj.weight": (
            "block.feed_forward.shared_expert.down.W",),
        "model.layers.*.mlp.shared_expert_gate.weight": ("block.feed_forward.shared_gate.W",),
    },
)  # fmt: skip

QWEN3_MOE = Family(
    "qwen3_moe",
    heads("qwen3_moe", "Qwen3Moe"),
    {
        **KEYS,
        **EXPERTS,
        "num_local_experts": Size("E"),
        "attention_bias": Choice("attention_bias"),
        "layer_types": Only((None,)),
        "shared_expert_intermediate_size": Only((0, None)),
        "qkv_bias": Only((False,)),
        "use_qk_norm": Only((True,)),
        "max_window_layers": FREE,
    },
    (*windows.windows(switched=True), SPARSITY),
    SPARSE,
)
"""With a window, all of its layers have it; ``max_window_layers`` is read by nothing."""
