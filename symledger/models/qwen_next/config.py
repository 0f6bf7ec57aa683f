"""Qwen3-Next and Qwen3.5: keys of gated delta rules and of experts, and which layers attend."""

from __future__ import annotations

from symledger.arguments.specs import Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import EXPERTS, GATED, share
from symledger.config_keys.delta_keys import CHUNK, DECODER, EVERY, KEYS, SERVED, kinds, mixer
from symledger.config_keys.expert_keys import BLOCK, LAYER, classes, listed_or_between
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import (
    BLOCKS,
    DENSE_BLOCKS,
    alternating,
    alternating_dense,
    everywhere,
)

MAPS = ("Q.W", "K.W", "V.W")
SHARED = {
    **{f"{LAYER}mlp.shared_expert.{x}_proj.weight": (f"{BLOCK}shared_expert.{x}.W",)
       for x in ("gate", "up", "down")},
    f"{LAYER}mlp.shared_expert_gate.weight": (f"{BLOCK}shared_gate.W",),
}  # fmt: skip
ROUTED = {name: tuple(x.replace("feed_forward.", "feed_forward.mixture.", 1) for x in ours)
          for name, ours in EXPERTS.items()}  # fmt: skip
BEHIND_GATES = everywhere({
    f"{LAYER}self_attn.q_proj.{theirs}": tuple(f"block.attention.{x}.{ours}" for x in ("Q", "gate"))
    for theirs, ours in (("weight", "W"), ("bias", "b"))
}, EVERY)  # fmt: skip
TENSORS = {**DECODER, **BEHIND_GATES}
SPARSE = {
    **TENSORS, **everywhere({**SHARED, **ROUTED}, BLOCKS), **everywhere(dict(GATED), DENSE_BLOCKS),
}  # fmt: skip
OLDER = mixer({
    "in_proj_qkvz": (*MAPS, "gate.W"), "in_proj_ba": ("write.W", "decay.W"), "norm": ("norm.g",),
    "out_proj": ("O.W",),
})  # fmt: skip
APART = mixer({
    "in_proj_qkv": MAPS, "in_proj_z": ("gate.W",), "in_proj_b": ("write.W",),
    "in_proj_a": ("decay.W",), "norm": ("norm.g",), "out_proj": ("O.W",),
})  # fmt: skip
ROUTING = {
    "num_experts": SizeOf("E"),
    "num_experts_per_tok": SizeOf("k"),
    "moe_intermediate_size": SizeOf("d_exp"),
    "shared_expert_intermediate_size": SizeOf("d_sh"),
    **dict.fromkeys(("norm_topk_prob", "output_router_logits", "router_aux_loss_coef"), FREE),
}
PREDICTING = dict.fromkeys((
    "mtp_num_hidden_layers", "mtp_use_dedicated_embeddings", "mamba_ssm_dtype", "attn_output_gate",
), FREE)  # fmt: skip
"""Layers of multi-token prediction are not built by the classes, and the gate always is."""


def _alternating(values: Values) -> Settings:
    return alternating(kinds(values))


def _sparse(values: Values) -> Settings:
    """Return which layers attend, and which are no mixture."""
    return alternating_dense(kinds(values), listed_or_between(values))


QWEN3_NEXT = Family(
    "qwen3_next",
    classes("qwen3_next", "Qwen3Next"),
    {**KEYS, **ROUTING, **PREDICTING, "decoder_sparse_step": Ruled(), "mlp_only_layers": Ruled()},
    (share(0.25), SERVED, Rule(("num_hidden_layers",), _sparse)),
    {**SPARSE, **OLDER},
    CHUNK,
)  # fmt: skip


WRITTEN = {
    "mlp_only_layers": Only(([], None)),
    "output_gate_type": Only(("swish", "silu")),
    "partial_rotary_factor": Ruled(),
}
"""Keys that hub files hold and the classes do not read, at what the classes build."""


def _text(entry: str, name: str) -> dict[str, Built]:
    return {f"{name}ForCausalLM": Built(entry, {"head": "lm"}),
            f"{name}TextModel": Built(entry, {"head": "bare"})}  # fmt: skip


QWEN35 = Family(
    "qwen3_5_text",
    _text("qwen3_5", "Qwen3_5"),
    {**KEYS, **PREDICTING, **WRITTEN},
    (share(0.25), SERVED, Rule(("num_hidden_layers",), _alternating)),
    {**TENSORS, **APART, **everywhere(dict(GATED), BLOCKS)},
    CHUNK,
)


def _all_sparse(values: Values) -> Settings:
    """Return which layers attend; every layer is a mixture."""
    attends = kinds(values)
    return alternating_dense(attends, [False] * len(attends))


QWEN35_MOE = Family(
    "qwen3_5_moe_text",
    _text("qwen3_next", "Qwen3_5Moe"),
    {**KEYS, **ROUTING, **PREDICTING, **WRITTEN, "intermediate_size": FREE},
    (share(0.25), SERVED, Rule(("num_hidden_layers",), _all_sparse)),
    {**SPARSE, **APART},
    CHUNK,
)
