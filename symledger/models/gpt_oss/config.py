"""gpt-oss: LLaMA's keys, those of its experts, and a window in every second layer."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Free, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ATTENTION, WIDTHS, heads, kinds
from symledger.config_keys.family import Family
from symledger.config_keys.window_keys import LISTED, all_but_each, windows

CLASSES = heads("gpt_oss", "GptOss")
MIXTURE = "model.layers.*.mlp."

GPT_OSS = Family(
    "gpt_oss",
    {name: built for name, built in CLASSES.items() if "QuestionAnswering" not in name},
    {
        **WIDTHS,
        **LISTED,
        "hidden_act": FREE,
        "attention_bias": Choice("attention_bias", BOOLS),
        "num_local_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        "experts_per_token": FREE,
        "swiglu_alpha": Free((float,)),
        "swiglu_limit": Free((float,)),
        "initial_context_length": FREE,
        "output_router_logits": FREE,
    },
    windows(all_but_each(2), asked=True),
    kinds({
        **ATTENTION,
        "model.layers.*.self_attn.sinks": ("block.attention.core.sinks",),
        f"{MIXTURE}router.weight": ("block.feed_forward.router.W",),
        f"{MIXTURE}router.bias": ("block.feed_forward.router.b",),
        **{
            f"{MIXTURE}experts.{theirs}_proj{end}": tuple(
                f"block.feed_forward.experts.{letter}_{name}" for name in ours)
            for theirs, ours in (("gate_up", ("gate", "up")), ("down", ("down",)))
            for end, letter in (("", "W"), ("_bias", "b"))
        },
    }, "windowed_block"),
)  # fmt: skip
