"""DeepSeek-V2 and V3, and what is published as V3 under a name of its own (Kimi-K2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import NoneType

from symledger.arguments.specs import (
    BOOLS,
    Choice,
    Free,
    Number,
    Only,
    Settings,
    SizeOf,
    Use,
    size,
    written,
)
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    DENSE,
    DIVIDED,
    GATE,
    HEADS,
    TIED,
    head_width,
    heads,
)
from symledger.config_keys.expert_keys import dense, grouped, some_or_none
from symledger.config_keys.family import Context, Family, Rule, Ruled, Unless, Values
from symledger.errors import BadInput

WEIGHTS: Mapping[str, str] = {
    "self_attn.q_a_proj.weight": "attention.Q_down.W",
    "self_attn.q_a_proj.bias": "attention.Q_down.b",
    "self_attn.q_a_layernorm.weight": "attention.norm_Q.g",
    "self_attn.q_b_proj.weight": "attention.Q.W",
    "self_attn.q_proj.weight": "attention.Q.W",
    "self_attn.kv_a_proj_with_mqa.weight": "attention.KV_down.W",
    "self_attn.kv_a_proj_with_mqa.bias": "attention.KV_down.b",
    "self_attn.kv_a_layernorm.weight": "attention.norm_KV.g",
    "self_attn.o_proj.weight": "attention.O.W",
    "self_attn.o_proj.bias": "attention.O.b",
    "input_layernorm.weight": "norm_1.g",
    "post_attention_layernorm.weight": "norm_2.g",
}
USES: Mapping[str, Use] = {
    "vocab_size": SizeOf("V"),
    "hidden_size": SizeOf("d"),
    "intermediate_size": SizeOf("d_ff"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "num_key_value_heads": Ruled(),
    "head_dim": FREE,
    "qk_head_dim": FREE,
    "qk_nope_head_dim": SizeOf("d_h"),
    "qk_rope_head_dim": SizeOf("d_rot"),
    "v_head_dim": SizeOf("d_v"),
    "kv_lora_rank": SizeOf("d_c"),
    "q_lora_rank": Ruled(),
    "attention_bias": Choice("attention_bias", BOOLS),
    "hidden_act": GATE,
    "n_routed_experts": SizeOf("E"),
    "num_experts_per_tok": Unless(SizeOf("k")),
    "n_shared_experts": SizeOf("E_s"),
    "moe_intermediate_size": SizeOf("d_exp"),
    "first_k_dense_replace": Ruled(),
    "moe_layer_freq": Only((1,)),
    "max_position_embeddings": Context(),
    "tie_word_embeddings": TIED,
    "n_group": FREE,
    "topk_group": FREE,
    "scoring_func": Only(("softmax", "sigmoid")),
    "norm_topk_prob": Free((bool, NoneType)),
    "routed_scaling_factor": Free((float,)),
    **dict.fromkeys(("num_mtp_layers", "num_nextn_predict_layers"), Free((int, NoneType))),
    "output_router_logits": FREE,
    "aux_loss_alpha": FREE,
    "seq_aux": FREE,
    "ep_size": FREE,
    "pretraining_tp": FREE,
}
"""The module that predicts a second token (``num_nextn_predict_layers``) is not built."""


def low_rank(values: Values) -> Settings:
    """Whether queries have a latent vector of their own, and how wide it is."""
    rank = values["q_lora_rank"]
    if rank is None:
        return {"low_rank": "false"}
    return {"low_rank": "true", "d_q": str(size("q_lora_rank", rank))}


def one_for_all(values: Values) -> Settings:
    """Refuse what cannot be built: keys and values have as many heads as queries."""
    h, h_kv = values["num_attention_heads"], values["num_key_value_heads"]
    if h_kv not in (None, h):
        raise BadInput(
            f"num_key_value_heads = {written(h_kv)} with num_attention_heads = {h} is not "
            "supported: all heads of latent attention have keys and values of their own. "
            "Leave it out."
        )
    return {}


def in_pairs(values: Values) -> Settings:
    """Refuse odd widths beside the part of a head that is turned, as pairs are read in one piece.

    transformers 5.23, ``apply_rotary_emb`` of DeepSeek-V2: ``view_as_complex`` takes even strides.
    """
    for name in ("kv_lora_rank", "qk_nope_head_dim"):
        if values[name] % 2:
            raise BadInput(
                f"{name} = {values[name]} does not fit: the class reads what is turned in pairs, "
                "from what lies beside it, so an even number is needed."
            )
    return {}


def turned_part(values: Values) -> Settings:
    """Refuse another width of heads than that of the part that positions turn.

    What is turned is as wide as is said, and what it is turned by as ``head_dim``.
    """
    turned = values["qk_rope_head_dim"]
    if values.get("head_dim", turned) != turned:
        raise BadInput(
            f"head_dim = {written(values['head_dim'])} does not fit qk_rope_head_dim = {turned}, "
            "the part of a head that is turned by positions. Leave it out."
        )
    return {}


def tensors() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the implementation, of either kind of layer."""
    layer, kinds = "model.layers.*.", ("dense_block.", "block.")
    shared = {name: ours for name, ours in DENSE.items() if not name.startswith(layer)}
    found = {f"{layer}{name}": tuple(f"{kind}{ours}" for kind in kinds)
             for name, ours in WEIGHTS.items()}  # fmt: skip
    for part in ("gate", "up", "down"):
        for kind, ours in (("weight", "W"), ("bias", "b")):
            found[f"{layer}mlp.{part}_proj.{kind}"] = (f"dense_block.feed_forward.{part}.{ours}",)
            found[f"{layer}mlp.shared_experts.{part}_proj.{kind}"] = (
                f"block.feed_forward.shared_experts.{part}.{ours}",
            )
    return {
        **shared, **found, **HEADS,
        f"{layer}self_attn.kv_b_proj.weight": tuple(
            f"{kind}attention.W_{x}" for kind in kinds for x in "KV"),
        f"{layer}mlp.gate.weight": ("block.feed_forward.router.W",),
        f"{layer}mlp.experts.gate_up_proj": tuple(
            f"block.feed_forward.experts.W_{x}" for x in ("gate", "up")),
        f"{layer}mlp.experts.down_proj": ("block.feed_forward.experts.W_down",),
    }  # fmt: skip


RULES = (
    Rule(("q_lora_rank",), low_rank),
    Rule(("num_hidden_layers", "first_k_dense_replace"), dense),
    Rule(("num_attention_heads", "num_key_value_heads"), one_for_all),
)
BUILDS = heads("deepseek", "DeepseekV3")
WITHOUT_TOKENS = heads("deepseek", "DeepseekV2", tokens=False)

DEEPSEEK_V2 = Family(
    "deepseek_v2",
    {name: built for name, built in WITHOUT_TOKENS.items() if "QuestionAnswering" not in name},
    {
        **USES,
        "mlp_bias": Choice("mlp_bias", BOOLS),
        "topk_method": Only(("greedy", "group_limited_greedy")),
    },
    (*RULES, DIVIDED, grouped(1), Rule((), in_pairs)), tensors(),
)  # fmt: skip
DEEPSEEK_V3 = Family(
    "deepseek_v3",
    {name: built for name, built in BUILDS.items() if "QuestionAnswering" not in name},
    {**USES, "rope_interleave": FREE, "topk_method": Only(("noaux_tc",))},
    (*RULES, grouped(2), Rule((), turned_part)), tensors(),
)  # fmt: skip
KIMI_K2 = replace(DEEPSEEK_V3, model_type="kimi_k2", like="deepseek_v3")


def _dense_widths(values: Values) -> Settings:
    """Return the width of values, which is that of the model's heads where none is said."""
    width = values["v_head_dim"]
    return {"d_v": str(head_width(values) if width is None else size("v_head_dim", width))}


DENSE_KEYS: Mapping[str, Use] = {
    **{name: use for name, use in USES.items() if name not in (
        "n_routed_experts", "num_experts_per_tok", "n_shared_experts", "moe_intermediate_size",
        "first_k_dense_replace", "moe_layer_freq", "n_group", "topk_group", "scoring_func",
        "norm_topk_prob", "routed_scaling_factor", "num_mtp_layers", "num_nextn_predict_layers",
        "output_router_logits", "aux_loss_alpha", "seq_aux", "ep_size",
    )},
    "v_head_dim": Ruled(),
}
DENSE_RULES = (
    Rule(("q_lora_rank",), low_rank),
    Rule(("num_attention_heads", "num_key_value_heads"), one_for_all),
    Rule(("v_head_dim", "hidden_size", "num_attention_heads"), _dense_widths),
)

YOUTU = Family(
    "youtu",
    heads("deepseek", "Youtu", tokens=False, spans=False, sequences=False),
    {
        **DENSE_KEYS,
        **dict.fromkeys(("rope_interleave", "embedding_initializer_range"), FREE),
    },
    (*DENSE_RULES, Rule((), turned_part)),
    tensors(),
    {"experts": "none"},
)

MINICPM3 = Family(
    "minicpm3",
    heads("minicpm3", "MiniCPM3", tokens=False, spans=False),
    {
        **DENSE_KEYS,
        "mlp_bias": Choice("mlp_bias", BOOLS),
        "scale_emb": Number(),
        **dict.fromkeys(("scale_depth", "dim_model_base"), Unless(Number(above=0))),
    },
    (*DENSE_RULES, DIVIDED),
    tensors(),
)

GLM4_MOE_LITE = Family(
    "glm4_moe_lite",
    heads("deepseek", "Glm4MoeLite", tokens=False, spans=False, sequences=False),
    {
        **{name: use for name, use in USES.items() if name != "first_k_dense_replace"},
        "mlp_layer_types": Ruled(),
        "rope_interleave": FREE,
        "topk_method": Only(("noaux_tc",)),
    },
    (
        Rule(("q_lora_rank",), low_rank),
        Rule(("num_attention_heads", "num_key_value_heads"), one_for_all),
        Rule(("num_hidden_layers",), some_or_none),
    ),
    tensors(),
)  # fmt: skip

MISTRAL4 = Family(
    "mistral4",
    heads("deepseek", "Mistral4", spans=False),
    {**USES, "rope_interleave": FREE, "topk_method": Only(("noaux_tc",)),
     **dict.fromkeys(("rope_parameters", "rope_scaling", "partial_rotary_factor"), FREE)},
    (*RULES, grouped(1)),
    tensors(),
)  # fmt: skip

AXK1 = Family(
    "axk1",
    heads("deepseek", "AXK1", tokens=False, spans=False),
    {
        **{name: use for name, use in USES.items() if name not in ("num_experts_per_tok",)},
        "num_experts_per_tok": SizeOf("k"),
        "mlp_layer_types": Ruled(),
        "rope_interleave": FREE,
        "topk_method": Only(("noaux_tc",)),
    },
    (
        Rule(("q_lora_rank",), low_rank),
        Rule(("num_attention_heads", "num_key_value_heads"), one_for_all),
        Rule(("num_hidden_layers",), some_or_none),
        grouped(2),
        Rule((), turned_part),
    ),
    {
        **tensors(),
        "model.layers.*.mlp.post_mlp_layernorm.weight": ("block.feed_forward.last_norm.g",),
    },
    {"experts_norm": "true"},
)
