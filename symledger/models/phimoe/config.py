"""Phi-3.5-MoE: LLaMA's keys, and those of experts."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, Unread, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import FLOORED, SPARSE, kinds
from symledger.config_keys.expert_keys import BLOCK, LAYER, USES, classes
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values


def window(values: Values) -> Settings:
    """All layers have a window, unless it is as long as any sequence and hides nothing."""
    longest = values["sliding_window"]
    if longest is None or size("sliding_window", longest) >= values["max_position_embeddings"]:
        return {"windows": "none"}
    return {"windows": "all", "w_max": str(longest)}


TWO = "two_experts"
"""Its router picks the best expert and the next one, whatever is said."""

PHIMOE = Family(
    "phimoe",
    {
        **classes("phimoe", "Phimoe", sequences=True),
        "PhiMoEForCausalLM": Built("phimoe", {"head": "lm"}),
    },
    {
        **USES, "lm_head_bias": Choice("biased", BOOLS), "sliding_window": Ruled(),
        "num_experts_per_tok": Unread(2, TWO, (int,)), "original_max_position_embeddings": FREE,
    },
    (FLOORED, Rule(("max_position_embeddings",), window)),
    implied={"k": "2"},
    tensors={
        **SPARSE,
        **kinds({
            f"{LAYER}input_layernorm.bias": ("block.norm_1.b",),
            f"{LAYER}post_attention_layernorm.bias": ("block.norm_2.b",),
            f"{LAYER}mlp.router.weight": (f"{BLOCK}router.W",),
        }, "windowed_block"),
        "model.norm.bias": ("final_norm.b",),
    },
)
