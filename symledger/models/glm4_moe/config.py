"""GLM-4.5: LLaMA's keys, and those of experts, routed and shared."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Free, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import SPARSE, TIED, share
from symledger.config_keys.expert_keys import BLOCK, LAYER, USES, classes, grouped
from symledger.config_keys.family import Family, Rule, Ruled, Values


def first_dense(values: Values) -> Settings:
    """How many layers come before those with experts, which may be none."""
    number = size("num_hidden_layers", values["num_hidden_layers"])
    first = size("first_k_dense_replace", values["first_k_dense_replace"], least=0)
    if not first:
        return {"dense_layers": "false"}
    return {"dense_layers": "true", "L_d": str(min(first, number))}


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
        share(0.5),
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
