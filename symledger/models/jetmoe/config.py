"""JetMoE: the number of experts and how many are chosen, in attention and networks alike."""

from __future__ import annotations

from symledger.arguments.specs import Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import GATE, HEADS, WIDTHS, kinds
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import Family, Rule, Values
from symledger.errors import BadInput


def _chosen(values: Values) -> Settings:
    """Refuse to send a token to more experts than there are, as the class does."""
    k, number = (size(name, values[name]) for name in ("num_experts_per_tok", "num_local_experts"))
    if k > number:
        raise BadInput(
            f"num_experts_per_tok = {k} is more than num_local_experts = {number}: a token is sent "
            "to some of them."
        )
    return {}


LAYER = "model.layers.*."
ATTENTION, NETWORK = "block.attention.", "block.feed_forward."
TENSORS = kinds({
    "model.embed_tokens.weight": ("token_embedding.E",),
    f"{LAYER}input_layernorm.weight": ("block.norm_1.g",),
    f"{LAYER}post_attention_layernorm.weight": ("block.norm_2.g",),
    f"{LAYER}self_attention.experts.bias": (f"{ATTENTION}b",),
    f"{LAYER}self_attention.experts.input_linear.weight": (f"{ATTENTION}W_Q",),
    f"{LAYER}self_attention.experts.output_linear.weight": (f"{ATTENTION}W_O",),
    f"{LAYER}self_attention.experts.router.layer.weight": (f"{ATTENTION}router.W",),
    f"{LAYER}self_attention.kv_proj.weight": (f"{ATTENTION}KV.W",),
    f"{LAYER}mlp.bias": (f"{NETWORK}b",),
    f"{LAYER}mlp.input_linear.weight": tuple(
        f"{NETWORK}mixture.experts.W_{x}" for x in ("gate", "up")),
    f"{LAYER}mlp.output_linear.weight": (f"{NETWORK}mixture.experts.W_down",),
    f"{LAYER}mlp.router.layer.weight": (f"{NETWORK}mixture.router.W",),
    "model.norm.weight": ("final_norm.g",),
    **HEADS,
})  # fmt: skip

JETMOE = Family(
    "jetmoe",
    classes("jetmoe", "JetMoe", sequences=True),
    {
        **{name: use for name, use in WIDTHS.items() if name != "head_dim"},
        "num_key_value_heads": SizeOf("h_kv"),
        "kv_channels": SizeOf("d_h"),
        "activation_function": GATE,
        "num_local_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        **dict.fromkeys((
            "num_attention_heads", "output_router_logits", "aux_loss_coef", "attention_dropout",
        ), FREE),
    },
    (Rule((), _chosen),),
    TENSORS,
)  # fmt: skip
"""Heads are those of keys and values for each chosen expert, whatever ``num_attention_heads``
says: the class overwrites it."""
