"""LongCat-Flash: DeepSeek's keys, a name of its own for each width, and experts that do nothing."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Free, Only, Settings, SizeOf, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import GATE, HEADS, TIED, heads
from symledger.config_keys.family import AtLeast, Context, Family, Rule, Ruled, Values
from symledger.errors import BadInput
from symledger.models.deepseek.config import WEIGHTS, one_for_all, turned_part

LAYER = "model.layers.*."


def _idle(values: Values) -> Settings:
    """Say how many experts compute nothing; the class has weights for these all the same.

    Raises:
        BadInput: more experts would be chosen than there are.
    """
    number = size("zero_expert_num", values["zero_expert_num"], least=0)
    every = number + size("n_routed_experts", values["n_routed_experts"])
    chosen = size("moe_topk", values["moe_topk"])
    if chosen > every:
        raise BadInput(
            f"moe_topk = {chosen} does not fit: there are {every} experts, n_routed_experts and "
            "zero_expert_num together."
        )
    if not number:
        return {"zero_experts": "false"}
    return {"zero_experts": "true", "spare": "true", "E_all": str(every)}


def _widths(values: Values) -> Settings:
    """Refuse a width of heads that is not that of their parts, and an odd part that is turned."""
    parts = [size(name, values[name]) for name in ("qk_nope_head_dim", "qk_rope_head_dim")]
    if values["qk_head_dim"] not in (None, sum(parts)):
        raise BadInput(
            f"qk_head_dim = {written(values['qk_head_dim'])} does not fit qk_nope_head_dim = "
            f"{parts[0]} and qk_rope_head_dim = {parts[1]}, which add up to {sum(parts)}. Leave it "
            "out."
        )
    if parts[1] % 2:
        raise BadInput(
            f"qk_rope_head_dim = {parts[1]} does not fit: elements are turned in pairs, so an even "
            "number is needed."
        )
    return {}


def _layers(values: Values) -> Settings:
    """Refuse a number of attentions that is not two for each layer."""
    number, attentions = values["num_layers"], values.get("num_hidden_layers")
    if attentions not in (None, 2 * number):
        raise BadInput(
            f"num_hidden_layers = {written(attentions)} does not fit num_layers = {number}: it is "
            "the number of attentions, of which every layer has two. Leave it out."
        )
    return {}


def _attention(theirs: str) -> tuple[str, ...]:
    ours = WEIGHTS[theirs].removeprefix("attention")
    return tuple(f"block.attention_{n}{ours}" for n in (1, 2))


LONGCAT = Family(
    "longcat_flash",
    heads("longcat", "LongcatFlash", tokens=False, spans=False, sequences=False),
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "ffn_hidden_size": SizeOf("d_ff"),
        "num_layers": SizeOf("L"),
        "num_hidden_layers": Ruled(),
        "num_attention_heads": SizeOf("h"),
        "num_key_value_heads": Ruled(),
        "head_dim": FREE,
        "qk_head_dim": Ruled(),
        "qk_nope_head_dim": SizeOf("d_h"),
        "qk_rope_head_dim": SizeOf("d_rot"),
        "v_head_dim": SizeOf("d_v"),
        "kv_lora_rank": SizeOf("d_c"),
        "q_lora_rank": SizeOf("d_q"),
        "attention_bias": Choice("attention_bias", BOOLS),
        "hidden_act": GATE,
        "n_routed_experts": AtLeast("E"),
        "zero_expert_num": Ruled(),
        "zero_expert_type": Only(("identity",)),
        "moe_topk": AtLeast("k", least=2),
        "expert_ffn_hidden_size": SizeOf("d_exp"),
        "router_bias": Only((False,)),
        "max_position_embeddings": Context(),
        "tie_word_embeddings": TIED,
        "routed_scaling_factor": Free((float,)),
        **dict.fromkeys(
            ("attention_method", "mla_scale_q_lora", "mla_scale_kv_lora", "norm_topk_prob",
             "output_router_logits"), FREE,
        ),
    },
    (
        Rule(("num_layers",), _layers),
        Rule(("num_attention_heads",), one_for_all),
        Rule(("qk_nope_head_dim", "qk_rope_head_dim"), _widths),
        Rule((), turned_part),
        Rule(("n_routed_experts", "moe_topk"), _idle),
    ),
    {
        "model.embed_tokens.weight": ("token_embedding.E",),
        "model.norm.weight": ("final_norm.g",),
        **HEADS,
        **{f"{LAYER}{name.replace('self_attn.', 'self_attn.*.')}": _attention(name)
           for name in WEIGHTS if name.startswith("self_attn.")},
        f"{LAYER}self_attn.*.kv_b_proj.weight": tuple(
            f"block.attention_{n}.W_{x}" for n in (1, 2) for x in "KV"),
        f"{LAYER}input_layernorm.*.weight": ("block.norm_1.g", "block.norm_3.g"),
        f"{LAYER}post_attention_layernorm.*.weight": ("block.norm_2.g", "block.norm_4.g"),
        **{f"{LAYER}mlps.*.{part}_proj.weight": tuple(
            f"block.feed_forward_{n}.{part}.W" for n in (1, 2)) for part in ("gate", "up", "down")},
        f"{LAYER}mlp.router.classifier.weight": ("block.mixture.router.W",),
        f"{LAYER}mlp.experts.gate_up_proj": (
            "block.mixture.experts.W_gate", "block.mixture.experts.W_up",
            "block.mixture.W_spare"),
        f"{LAYER}mlp.experts.down_proj": ("block.mixture.experts.W_down",),
    },
)  # fmt: skip
"""No class reads ``norm_topk_prob`` or how attention is scaled: it always is. None runs with one
expert a token: it drops the axis of those that were chosen."""
