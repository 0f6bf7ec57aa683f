"""GLM-4.5 and others (ERNIE 4.5, dots.llm1, Hy3, K-EXAONE): keys of routed and shared experts."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Free, Maybe, Only, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    DIVIDED,
    EXPERTS,
    FLOORED,
    LLAMA_KEYS,
    TIED,
    layers,
    share,
)
from symledger.config_keys.expert_keys import (
    LAYER,
    USES,
    classes,
    dense_or_not,
    grouped,
    layered,
    listed_dense,
)
from symledger.config_keys.family import Built, Family, Rule, Ruled, Several, Values
from symledger.config_keys.window_keys import (
    LISTED,
    all_but_each,
    beside_dense,
    from_layer_on,
)

ROPE = dict.fromkeys(("rope_scaling", "rope_parameters", "partial_rotary_factor"), Ruled())


def first_dense(values: Values) -> Settings:
    """How many layers come before those with experts, which may be none."""
    number = size("num_hidden_layers", values["num_hidden_layers"])
    first = size("first_k_dense_replace", values["first_k_dense_replace"], least=0)
    if not first:
        return {"dense_layers": "false"}
    return {"dense_layers": "true", "L_d": str(min(first, number))}


SHARED = {
    f"{LAYER}mlp.shared_experts.{x}_proj.weight": (f"block.feed_forward.shared_experts.{x}.W",)
    for x in ("gate", "up", "down")
}
TENSORS = layered({**EXPERTS, **SHARED})

GLM4_MOE = Family(
    "glm4_moe",
    classes("glm4_moe", "Glm4Moe"),
    {
        **{name: use for name, use in USES.items() if name != "num_local_experts"},
        "moe_intermediate_size": SizeOf("d_exp"),
        "n_routed_experts": SizeOf("E"),
        "n_shared_experts": Maybe("E_s", "shared"),
        "first_k_dense_replace": Ruled(),
        **ROPE,
        "use_qk_norm": Choice("qk_norm", BOOLS),
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
    TENSORS,
)
"""The module that predicts a second token is not built."""
GLM4V_MOE_TEXT = replace(
    GLM4_MOE, model_type="glm4v_moe_text",
    builds={"Glm4vMoeTextModel": Built("glm4_moe", {"head": "bare", "qk_norm": "false"})},
    uses={**{key: use for key, use in GLM4_MOE.uses.items() if key != "use_qk_norm"},
          "router_aux_loss_coef": FREE, "output_router_logits": FREE},
)  # fmt: skip

ROUTED = {
    **{name: use for name, use in USES.items() if name != "num_local_experts"},
    "moe_intermediate_size": SizeOf("d_exp"),
    "tie_word_embeddings": TIED,
    **dict.fromkeys(("num_mtp_layers", "num_nextn_predict_layers"), FREE),
}


def _first(values: Values) -> list[bool]:
    """Return which layers are dense: as many of the first as is said."""
    first = size("first_k_dense_replace", values["first_k_dense_replace"], least=0)
    return [i < first for i in range(layers(values))]


DOTS1 = Family(
    "dots1",
    classes("glm4_moe", "Dots1"),
    {
        **ROUTED,
        **LISTED,
        "max_window_layers": Ruled(),
        "use_sliding_window": FREE,
        "attention_bias": Several((Choice("attention_bias"), Choice("output_bias"))),
        "n_routed_experts": SizeOf("E"),
        "n_shared_experts": Maybe("E_s", "shared"),
        "first_k_dense_replace": Ruled(),
        "n_group": FREE,
        "topk_group": FREE,
        "routed_scaling_factor": Free((float,)),
    },
    (FLOORED, grouped(2), *beside_dense(from_layer_on, _first)),
    TENSORS,
    {"partly": "false", "qk_norm": "true"},
)

SOLAR_OPEN = Family(
    "solar_open",
    classes("glm4_moe", "SolarOpen"),
    {
        **ROUTED,
        "head_dim": SizeOf("d_h"),
        "intermediate_size": FREE,
        "n_routed_experts": SizeOf("E"),
        "n_shared_experts": Maybe("E_s", "shared"),
        "first_k_dense_replace": Only((0,)),
        "use_qk_norm": Only((False,)),
        **ROPE,
        "n_group": FREE,
        "topk_group": FREE,
        "routed_scaling_factor": Free((float,)),
    },
    (share(1.0), grouped(2)),
    TENSORS,
    {"dense_layers": "false"},
)

HY_V3 = Family(
    "hy_v3",
    classes("glm4_moe", "HYV3"),
    {
        **ROUTED,
        "attention_bias": Several((Choice("attention_bias"), Choice("output_bias"))),
        "mlp_bias": Only((False,)),
        "head_dim": SizeOf("d_h"),
        "num_experts": SizeOf("E"),
        "num_shared_experts": SizeOf("E_s"),
        "mlp_layer_types": Ruled(),
        "router_scaling_factor": Free((float,)),
        "enable_moe_fp32_combine": FREE,
    },
    (Rule(("num_hidden_layers",), dense_or_not),),
    TENSORS,
    {"partly": "false", "qk_norm": "true"},
)


def _turned(values: Values) -> Settings:
    """Say whether layers without a window turn heads by their position: where none has one."""
    return {"turned_everywhere": "true" if values.get("sliding_window") is None else "false"}


EXAONE_MOE = Family(
    "exaone_moe",
    classes("exaone_moe", "ExaoneMoe"),
    {
        **{name: use for name, use in ROUTED.items() if name != "attention_bias"},
        **LISTED,
        "sliding_window_pattern": Ruled(),
        "num_key_value_heads": SizeOf("h_kv"),
        "num_experts": SizeOf("E"),
        "num_shared_experts": Maybe("E_s", "shared"),
        "mlp_layer_types": Ruled(),
        "first_k_dense_replace": Ruled(),
        "n_group": FREE,
        "topk_group": FREE,
        "routed_scaling_factor": Free((float,)),
    },
    (
        FLOORED,
        Rule((), _turned),
        *beside_dense(all_but_each(4, "sliding_window_pattern", unless_listed=True), listed_dense),
    ),
    TENSORS,
)

ARIA_TEXT = Family(
    "aria_text",
    {"AriaTextForCausalLM": Built("glm4_moe", {"head": "lm"}),
     "AriaTextModel": Built("glm4_moe", {"head": "bare"})},
    {
        **LLAMA_KEYS,
        "intermediate_size": SizeOf("d_exp"),
        "attention_bias": Several((Choice("attention_bias"), Choice("output_bias"))),
        "mlp_bias": Only((False,)),
        "moe_num_experts": SizeOf("E"),
        "moe_topk": SizeOf("k"),
        "moe_num_shared_experts": Maybe("E_s", "shared"),
    },
    (DIVIDED,),
    {**TENSORS, f"{LAYER}mlp.router.weight": ("block.feed_forward.router.W",)},
    {"partly": "false", "dense_layers": "false"},
)  # fmt: skip
"""Its experts lie in tensors whose last two axes are the other way round."""


def _mixtures(values: Values) -> Settings:
    """Say how many layers are dense: those before, between and behind the mixtures.

    Raises:
        BadInput: none is left that is a mixture, where nothing else is known of it.
    """
    number = layers(values)
    start = size("moe_layer_start_index", values["moe_layer_start_index"], least=0)
    step = size("moe_layer_interval", values["moe_layer_interval"])
    end = values["moe_layer_end_index"]
    end = number - 1 if end == -1 else size("moe_layer_end_index", end, least=0)
    sparse = sum((i + 1) % step == 0 and start <= i <= end for i in range(number))
    if sparse == number:
        return {"dense_layers": "false"}
    return {"dense_layers": "true", "L_d": str(number - sparse)}


ERNIE_MOE = Family(
    "ernie4_5_moe",
    classes("glm4_moe", "Ernie4_5_Moe"),
    {
        **LLAMA_KEYS,
        "use_bias": Only((False,), "every map would have one, and the head"),
        "moe_intermediate_size": SizeOf("d_exp"),
        "moe_num_experts": SizeOf("E"),
        "moe_k": SizeOf("k"),
        "moe_num_shared_experts": Maybe("E_s", "shared"),
        **dict.fromkeys(
            ("moe_layer_start_index", "moe_layer_end_index", "moe_layer_interval"), Ruled()
        ),
        **dict.fromkeys(("moe_norm_min", "output_router_logits", "router_aux_loss_coef"), FREE),
    },
    (FLOORED, Rule(("num_hidden_layers",), _mixtures)),
    {
        **TENSORS,
        **layered({
            f"{LAYER}mlp.gate.moe_statics.e_score_correction_bias": (
                "block.feed_forward.router.balance",
            ),
        }, {}),
    },
    {"partly": "false", "balanced": "true"},
)  # fmt: skip
