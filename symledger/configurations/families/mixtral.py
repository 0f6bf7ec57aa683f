"""Mixtral: LLaMA's keys, and those of its experts."""

from __future__ import annotations

from symledger.arguments import Only, Size
from symledger.configurations.common import FREE
from symledger.configurations.families.llama import TENSORS
from symledger.configurations.families.shared import WIDTHS, heads
from symledger.configurations.family import Family

MIXTRAL = Family(
    "mixtral",
    heads("mixtral", "Mixtral"),
    {
        **WIDTHS,
        "hidden_act": Only(("silu",)),
        "attention_dropout": FREE,
        "num_local_experts": Size("E"),
        "num_experts_per_tok": Size("k"),
        "output_router_logits": FREE,
        "router_jitter_noise": FREE,
        "sliding_window": Only((None,)),
    },
    tensors={
        **{name: ours for name, ours in TENSORS.items() if ".mlp." not in name},
        "model.layers.*.mlp.gate.weight": ("block.feed_forward.router.W",),
        "model.layers.*.mlp.experts.gate_up_proj": (
            "block.feed_forward.experts.W_gate", "block.feed_forward.experts.W_up",
        ),
        "model.layers.*.mlp.experts.down_proj": ("block.feed_forward.experts.W_down",),
    },
)
