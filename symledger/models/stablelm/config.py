"""StableLM, and Cohere's Command R: LLaMA's keys, other blocks."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.catalogue.argument_specs import BOOLS, Choice, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    ACTIVATION,
    HEADS,
    WIDTHS,
    affine,
    head_width,
    heads,
    turned,
)
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values

FLAG: Mapping[object, str] = {True: "true", False: "false", None: "false"}
ROPE = ("partial_rotary_factor", "rope_parameters", "rope_scaling")
TENSORS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    **{
        f"model.layers.*.self_attn.{x.lower()}_{norm}.weight": (f"block.attention.g_{x}",)
        for x in "QK" for norm in ("norm", "layernorm.norms.*")
    },
    **affine("model.", {
        "layers.*.input_layernorm": "block.norm_1",
        "layers.*.post_attention_layernorm": "block.norm_2",
        **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKVO"},
        **{f"layers.*.mlp.{x}_proj": f"block.feed_forward.{x}" for x in ("gate", "up", "down")},
        "norm": "final_norm",
    }),
    **HEADS,
}  # fmt: skip


def _turned(values: Values) -> Settings:
    return turned(values, "partial_rotary_factor", 0.25, head_width(values), whole=False)


STABLELM = Family(
    "stablelm",
    {
        name: built for name, built in heads("stablelm", "StableLm").items()
        if "Question" not in name
    },
    {
        **{name: use for name, use in WIDTHS.items() if name != "head_dim"},
        "num_key_value_heads": SizeOf("h_kv"),
        "hidden_act": ACTIVATION,
        "use_qkv_bias": Choice("bias", BOOLS),
        "qk_layernorm": Choice("qk_norm", BOOLS),
        "use_parallel_residual": Choice("parallel", BOOLS),
        "use_norm_bias": FREE,
        "rotary_scaling_factor": FREE,
        **dict.fromkeys(ROPE, Ruled()),
    },
    rules=(Rule(("hidden_size", "num_attention_heads"), _turned),),
    tensors=TENSORS,
)  # fmt: skip

COHERE = Family(
    "cohere",
    {
        "CohereForCausalLM": Built("cohere", {"head": "lm"}),
        "CohereModel": Built("cohere", {"head": "bare"}),
    },
    {
        **WIDTHS,
        "hidden_act": ACTIVATION,
        "attention_bias": Choice("bias", BOOLS),
        "use_qk_norm": Choice("qk_norm", FLAG),
        "logit_scale": FREE,
    },
    tensors=TENSORS,
)
