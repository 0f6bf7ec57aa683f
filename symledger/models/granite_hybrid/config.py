"""Granite 4: Granite's keys, those of Mamba-2's mixers and of experts, and which layers attend."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Number, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import FLOORED, layers
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import alternating, attending
from symledger.config_keys.mamba_hybrid_keys import ATTENTION, ENDS, KEYS, blocks, heads, mixer


def _attending(values: Values) -> Settings:
    """Return how many layers attend: those that are listed, none unless told."""
    listed = attending(values)
    return alternating([False] * layers(values) if listed is None else listed)


def _experts(values: Values) -> Settings:
    """Say whether there are experts: with a number of 0 there are none."""
    if values["num_local_experts"] == 0:
        return {"experts": "false"}
    number, used = (size(name, values[name]) for name in (
        "num_local_experts", "num_experts_per_tok"))  # fmt: skip
    return {"experts": "true", "E": str(number), "k": str(used)}


SHARED, MOE = "block.feed_forward.shared_experts", "block.feed_forward"
NETWORK = {
    "shared_mlp.input_linear.weight": (
        f"{SHARED}.gate.W", f"{SHARED}.up.W", f"{MOE}.gate.W", f"{MOE}.up.W"),
    "shared_mlp.output_linear.weight": (f"{SHARED}.down.W", f"{MOE}.down.W"),
    "block_sparse_moe.router.weight": (f"{MOE}.router.W",),
    "block_sparse_moe.experts.gate_up_proj": (f"{MOE}.experts.W_gate", f"{MOE}.experts.W_up"),
    "block_sparse_moe.experts.down_proj": (f"{MOE}.experts.W_down",),
    "input_layernorm.weight": ("block.norm_1.g",),
    "post_attention_layernorm.weight": ("block.norm_2.g",),
}  # fmt: skip

GRANITE_HYBRID = Family(
    "granitemoehybrid",
    classes("granite_hybrid", "GraniteMoeHybrid"),
    {
        **KEYS,
        **dict.fromkeys((
            "embedding_multiplier", "logits_scaling", "residual_multiplier",
            "attention_multiplier",
        ), Number()),
        "attention_bias": Choice("attention_bias", BOOLS),
        "position_embedding_type": Choice(
            "rotary", {None: "false", "nope": "false", "rope": "true"}),
        "layer_types": Ruled(),
        "shared_intermediate_size": SizeOf("d_sh"),
        "num_local_experts": Ruled(),
        "num_experts_per_tok": Ruled(),
        **dict.fromkeys(("output_router_logits", "router_aux_loss_coef"), FREE),
        **dict.fromkeys(("init_method", "normalization_function"), FREE),
    },
    (FLOORED, heads(), Rule(("num_hidden_layers",), _attending), Rule((), _experts)),
    {**ENDS, **mixer(), **blocks({**ATTENTION, **NETWORK})},
)  # fmt: skip
