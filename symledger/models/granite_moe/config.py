"""Granite 3 with experts, shared ones as well: LLaMA's keys, and those of experts."""

from __future__ import annotations

from symledger.arguments.specs import Number, Settings, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ATTENTION, FLOORED, SPARSE, kinds
from symledger.config_keys.expert_keys import BLOCK, LAYER, USES, classes
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import LISTED, TURNED, all_but_first_of, windows

KEYS = {
    **USES,
    **dict.fromkeys((
        "embedding_multiplier", "logits_scaling", "residual_multiplier", "attention_multiplier",
    ), Number()),
}  # fmt: skip
TENSORS = {
    **SPARSE,
    f"{LAYER}block_sparse_moe.router.weight": (f"{BLOCK}router.W",),
    f"{LAYER}block_sparse_moe.experts.gate_up_proj": tuple(
        f"{BLOCK}experts.W_{x}" for x in ("gate", "up")),
    f"{LAYER}block_sparse_moe.experts.down_proj": (f"{BLOCK}experts.W_down",),
    f"{LAYER}shared_mlp.input_linear.weight": tuple(
        f"{BLOCK}shared_experts.{x}.W" for x in ("gate", "up")),
    f"{LAYER}shared_mlp.output_linear.weight": (f"{BLOCK}shared_experts.down.W",),
}  # fmt: skip

GRANITE_MOE = Family(
    "granitemoe", classes("granite_moe", "GraniteMoe"), KEYS, (FLOORED,), TENSORS
)


def _shared(values: Values) -> Settings:
    """Return how wide the shared network is; with a width of 0 there is none."""
    width = size("shared_intermediate_size", values["shared_intermediate_size"], least=0)
    return {"shared": "true", "d_sh": str(width)} if width else {"shared": "false"}


GRANITE_MOE_SHARED = Family(
    "granitemoeshared",
    classes("granite_moe", "GraniteMoeShared"),
    {**KEYS, "shared_intermediate_size": Ruled(), "router_aux_loss_coef": FREE},
    (FLOORED, Rule((), _shared)),
    TENSORS,
)

GRANITE_MOE_SWA = Family(
    "granitemoe_swa",
    classes("granite_moe", "GraniteMoeSWA"),
    {**GRANITE_MOE_SHARED.uses, **LISTED, "layer_rope_theta": Ruled()},
    (FLOORED, Rule((), _shared), TURNED, *windows(all_but_first_of(4))),
    {
        **TENSORS,
        **kinds({**ATTENTION, f"{LAYER}self_attn.sinks": ("block.attention.core.sinks",)},
                "windowed_block"),
        **kinds({name: ours for name, ours in TENSORS.items() if "feed_forward" in ours[0]},
                "windowed_block"),
    },
    {"sinks": "true"},
)  # fmt: skip
