"""MiniMax-01 and M1: Mixtral's keys, and which layers have lightning attention."""

from __future__ import annotations

from symledger.arguments.specs import Number, Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ATTENTION, EXPERTS, FLOORED, WIDTHS, layers
from symledger.config_keys.expert_keys import LAYER, classes
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import BLOCKS, alternating, attending, everywhere
from symledger.config_keys.mamba_hybrid_keys import SILU


def _kinds(values: Values) -> Settings:
    """Return which layers have softmax attention: those listed, else the first of every two."""
    listed = attending(values)
    return alternating(listed or [i % 2 == 0 for i in range(layers(values))])


FACTORS = tuple(
    f"{part}_{side}_factor" for part in ("full_attn", "linear_attn", "mlp")
    for side in ("alpha", "beta")
)
MIXER = {
    f"{LAYER}self_attn.{theirs}.weight": (f"block.mixer.{ours}",) for theirs, ours in (
        ("qkv_proj", "QKV.W"), ("out_proj", "O.W"), ("output_gate", "gate.W"), ("norm", "norm.g"),
    )
}  # fmt: skip

MINIMAX = Family(
    "minimax",
    classes("minimax", "MiniMax"),
    {
        **WIDTHS,
        "hidden_act": SILU,
        "attention_dropout": FREE,
        "sliding_window": Only((None,), "no layer of softmax attention has a window"),
        "num_local_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        "block_size": SizeOf("Q"),
        "layer_types": Ruled(),
        **dict.fromkeys(("output_router_logits", "router_jitter_noise"), FREE),
        **dict.fromkeys(FACTORS, Number()),
    },
    (FLOORED, Rule(("num_hidden_layers",), _kinds)),
    everywhere({**ATTENTION, **EXPERTS, **MIXER}, BLOCKS),
)
