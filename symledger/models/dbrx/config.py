"""DBRX: what it says of attention and of experts stands in objects of their own."""

from __future__ import annotations

from typing import Any

from symledger.arguments.specs import Only, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE, known
from symledger.config_keys.decoder_keys import HEADS, QKV, head_width
from symledger.config_keys.family import Built, Context, Family, Rule, Ruled, Values
from symledger.errors import BadInput, shown

ATTENTION = ("attn_pdrop", "clip_qkv", "kv_n_heads", "rope_theta")
EXPERTS = (
    "hidden_size", "ffn_act_fn", "ffn_hidden_size", "moe_num_experts", "moe_top_k",
    "moe_jitter_eps", "moe_loss_weight", "moe_normalize_expert_weights",
    "uniform_expert_assignment",
)  # fmt: skip
UNSAID = {"kv_n_heads": 1, "ffn_hidden_size": 3584, "moe_num_experts": 4, "moe_top_k": 1}
"""What is meant where it is not said (transformers 5.23, ``DbrxAttentionConfig``,
``DbrxFFNConfig``)."""


def _inside(values: Values, name: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Return what stands in an object inside.

    Raises:
        BadInput: it is none, or holds a key that is not understood.
    """
    said = values[name]
    if not isinstance(said, dict | None):
        raise BadInput(f"{name} = {written(said)} does not fit: an object is meant.")
    for key, value in (said or {}).items():
        if key not in names and not known(key) and value is not None:
            raise BadInput(
                f"the key {shown(key)} = {written(value)} in {name} is not understood, and may "
                "change what is counted. If it changes nothing, leave it out."
            )
    return {**UNSAID, **(said or {})}


def _attention(values: Values) -> Settings:
    """Read what is said of attention."""
    head_width(values, "d_model", "n_heads")
    said = _inside(values, "attn_config", ATTENTION)
    return {"h_kv": str(size("attn_config.kv_n_heads", said["kv_n_heads"]))}


def _experts(values: Values) -> Settings:
    """Read what is said of experts."""
    said = _inside(values, "ffn_config", EXPERTS)
    function = said.get("ffn_act_fn") or {}
    if not isinstance(function, dict) or set(function) - {"name"}:
        raise BadInput(
            f"ffn_config.ffn_act_fn = {shown(written(function))} does not fit: an object with a "
            "name is meant."
        )
    symbols = {"d_ff": "ffn_hidden_size", "E": "moe_num_experts", "k": "moe_top_k"}
    found = {symbol: str(size(f"ffn_config.{key}", said[key])) for symbol, key in symbols.items()}
    acting = Acting().settings("ffn_config.ffn_act_fn.name", function.get("name", "silu"))
    return {**found, **acting}


LAYER = "transformer.blocks.*."
DBRX = Family(
    "dbrx",
    {"DbrxForCausalLM": Built("dbrx", {"head": "lm"}),
     "DbrxModel": Built("dbrx", {"head": "bare"})},
    {
        "vocab_size": SizeOf("V"),
        "d_model": SizeOf("d"),
        "n_layers": SizeOf("L"),
        "n_heads": SizeOf("h"),
        "max_seq_len": Context(),
        "attn_config": Ruled(),
        "ffn_config": Ruled(),
        "num_key_value_heads": FREE,
        "output_router_logits": FREE,
        "tie_word_embeddings": Only((False,)),
    },
    (Rule(("d_model", "n_heads"), _attention), Rule((), _experts)),
    {
        "transformer.wte.weight": ("token_embedding.E",),
        "transformer.norm_f.weight": ("final_norm.g",),
        **{f"{LAYER}norm_attn_norm.norm_{i}.weight": (f"block.norm_{i}.g",) for i in (1, 2)},
        f"{LAYER}norm_attn_norm.attn.Wqkv.weight": tuple(f"{x}.W" for x in QKV),
        f"{LAYER}norm_attn_norm.attn.out_proj.weight": ("block.attention.O.W",),
        f"{LAYER}ffn.router.layer.weight": ("block.feed_forward.router.W",),
        **{f"{LAYER}ffn.experts.mlp.{x}": (f"block.feed_forward.experts.W_{ours}",)
           for x, ours in (("w1", "gate"), ("v1", "up"), ("w2", "down"))},
        **HEADS,
    },
)  # fmt: skip
"""The width of the model in what is said of experts is not read: it is that of the model."""
