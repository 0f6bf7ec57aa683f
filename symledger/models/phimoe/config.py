"""Phi-3.5-MoE: LLaMA's keys, and those of experts."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import SPARSE
from symledger.config_keys.expert_keys import BLOCK, LAYER, USES, classes
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput


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
