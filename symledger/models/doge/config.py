"""Doge: LLaMA's keys, and those of experts that are looked up."""

from __future__ import annotations

from math import isqrt

from symledger.arguments.specs import BOOLS, Only, Settings, among, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import BIASES, DENSE, FLOORED, LLAMA_KEYS
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.errors import BadInput


def _experts(values: Values) -> Settings:
    """Return the experts that are looked up, if there are any.

    Raises:
        BadInput: their number is no square, or a token would look up more than there are.
    """
    if not among("is_moe", values["is_moe"], (True, False)):
        return {"experts": BOOLS[False]}
    number, k = (size(name, values[name]) for name in ("num_experts", "num_experts_per_tok"))
    halves = isqrt(number)
    if halves**2 != number:
        raise BadInput(
            f"num_experts = {number} is no square: experts are found by pairs of {halves} halves "
            f"of keys, so that only {halves**2} of them can be. Choose {halves**2} or "
            f"{(halves + 1) ** 2}."
        )
    if k > number:
        raise BadInput(
            f"num_experts_per_tok = {k} is more than num_experts = {number}: a token looks up some "
            "of them."
        )
    return {"experts": BOOLS[True], "E": str(number), "n_key": str(halves), "k": str(k)}


LAYER = "model.layers.*."
TENSORS = {
    **DENSE,
    f"{LAYER}input_residual": ("block.r_1",),
    f"{LAYER}post_attention_residual": ("block.r_2",),
    f"{LAYER}self_attn.A": ("block.attention.A",),
    f"{LAYER}self_attn.dt_proj.weight": ("block.attention.step.W",),
    f"{LAYER}self_attn.dt_proj.bias": ("block.attention.step.b",),
    **{f"{LAYER}mlp.{x}_proj.{weight}": (f"block.feed_forward.{x}.{ours}",
                                         f"block.feed_forward.network.{x}.{ours}")
       for x in ("gate", "up", "down") for weight, ours in (("weight", "W"), ("bias", "b"))},
    f"{LAYER}mlp.router_gate.weight": ("block.feed_forward.router.W",),
    f"{LAYER}mlp.down_embed.weight": ("block.feed_forward.E_down",),
    f"{LAYER}mlp.up_embed.weight": ("block.feed_forward.E_up",),
}  # fmt: skip

DOGE = Family(
    "doge",
    classes("doge", "Doge", sequences=True),
    {
        **LLAMA_KEYS,
        **BIASES,
        "hidden_act": Acting(),
        "sliding_window": Only((None,), "all layers would remember a window alone"),
        **dict.fromkeys(("is_moe", "num_experts", "num_experts_per_tok"), Ruled()),
        **dict.fromkeys((
            "hidden_dropout", "keep_window_size", "norm_topk_prob", "output_router_logits",
            "router_aux_loss_coef",
        ), FREE),
    },
    (FLOORED, Rule((), _experts)),
    TENSORS,
)  # fmt: skip
"""``keep_window_size`` hides pairs, all of which are computed."""
