"""Mixtures of experts in LLaMA's blocks: Granite, Phi-3.5-MoE, GLM-4.5."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.catalogue.argument_specs import (
    BOOLS,
    Choice,
    Free,
    Only,
    Settings,
    SizeOf,
    Use,
    size,
)
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import GATE, SPARSE, TIED, WIDTHS, head_width, heads, turned
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput
from symledger.models.deepseek.config import grouped

USES: Mapping[str, Use] = {
    **WIDTHS,
    "hidden_act": GATE,
    "attention_bias": Choice("attention_bias", BOOLS),
    "num_experts_per_tok": SizeOf("k"),
    "num_local_experts": SizeOf("E"),
    "output_router_logits": FREE,
    "norm_topk_prob": FREE,
    "router_jitter_noise": FREE,
    "input_jitter_noise": FREE,
}
LAYER, BLOCK = "model.layers.*.", "block.feed_forward."


def classes(entry: str, name: str, sequences: bool = False) -> dict[str, Built]:
    """Return what the classes that there are build: two, or a classifier of sequences as well."""
    found = heads(entry, name, tokens=False, spans=False)
    return {k: built for k, built in found.items() if sequences or "Sequence" not in k}


GRANITE_MOE = Family(
    "granitemoe",
    classes("granite_moe", "GraniteMoe"),
    {
        **USES,
        **dict.fromkeys((
            "embedding_multiplier", "logits_scaling", "residual_multiplier",
            "attention_multiplier",
        ), FREE),
    },
    tensors={
        **SPARSE,
        f"{LAYER}block_sparse_moe.router.weight": (f"{BLOCK}router.W",),
        f"{LAYER}block_sparse_moe.experts.gate_up_proj": tuple(
            f"{BLOCK}experts.W_{x}" for x in ("gate", "up")),
        f"{LAYER}block_sparse_moe.experts.down_proj": (f"{BLOCK}experts.W_down",),
    },
)  # fmt: skip
def all_seen(values: Values) -> Settings:
    """Refuse a window that hides something: only one as long as any sequence does not."""
    window = values["sliding_window"]
    if window is not None and size("sliding_window", window) < values["max_position_embeddings"]:
        raise BadInput(
            f"sliding_window = {window} is not supported: only null, or one that is as long as "
            "max_position_embeddings."
        )
    return {}


PHIMOE = Family(
    "phimoe",
    {
        **classes("phimoe", "Phimoe", sequences=True),
        "PhiMoEForCausalLM": Built("phimoe", {"head": "lm"}),
    },
    {
        **USES, "lm_head_bias": Choice("biased", BOOLS), "sliding_window": Ruled(),
        "num_experts_per_tok": Only((2,)), "original_max_position_embeddings": FREE,
    },
    (Rule(("max_position_embeddings",), all_seen),),
    implied={"k": "2"},
    tensors={
        **SPARSE,
        f"{LAYER}mlp.router.weight": (f"{BLOCK}router.W",),
        f"{LAYER}input_layernorm.bias": ("block.norm_1.b",),
        f"{LAYER}post_attention_layernorm.bias": ("block.norm_2.b",),
        "model.norm.bias": ("final_norm.b",),
    },
)


def first_dense(values: Values) -> Settings:
    """How many layers come before those with experts, which may be none."""
    number = size("num_hidden_layers", values["num_hidden_layers"])
    first = size("first_k_dense_replace", values["first_k_dense_replace"], least=0)
    if not first:
        return {"dense_layers": "false"}
    return {"dense_layers": "true", "L_d": str(min(first, number))}


def half_turned(values: Values) -> Settings:
    """How much of a head is turned by its position: half of it, unless it is said."""
    said = values.get("head_dim")
    width = head_width(values) if said is None else size("head_dim", said)
    return turned(values, "partial_rotary_factor", 0.5, width)


GLM4_MOE = Family(
    "glm4_moe",
    classes("glm4_moe", "Glm4Moe"),
    {
        **{name: use for name, use in USES.items() if name != "num_local_experts"},
        "moe_intermediate_size": SizeOf("d_exp"),
        "n_routed_experts": SizeOf("E"),
        "n_shared_experts": SizeOf("E_s"),
        "first_k_dense_replace": Ruled(),
        **dict.fromkeys(("rope_scaling", "rope_parameters"), Ruled()),
        "use_qk_norm": Choice("qk_norm", BOOLS),
        "partial_rotary_factor": Ruled(),
        "n_group": FREE,
        "topk_group": FREE,
        "routed_scaling_factor": Free((float,)),
        "tie_word_embeddings": TIED,
        **dict.fromkeys(("num_mtp_layers", "num_nextn_predict_layers"), FREE),
    },
    (
        Rule(("num_hidden_layers",), first_dense),
        Rule(("hidden_size", "num_attention_heads", "head_dim"), half_turned),
        grouped(2),
    ),
    {
        **SPARSE,
        **{
            f"{LAYER}mlp.shared_experts.{x}_proj.weight": (f"{BLOCK}shared_experts.{x}.W",)
            for x in ("gate", "up", "down")
        },
        **{
            f"{LAYER}mlp.{x}_proj.weight": (f"dense_block.feed_forward.{x}.W",)
            for x in ("gate", "up", "down")
        },
    },
)
"""The module that predicts a second token is not built."""
