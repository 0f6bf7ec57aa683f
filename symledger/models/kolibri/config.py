"""Kolibri and Flint: LLaMA's keys, windows, and those of experts and a shared one."""

from __future__ import annotations

from symledger.arguments.specs import Choice, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ATTENTION, EXPERTS, LLAMA_KEYS
from symledger.config_keys.expert_keys import LAYER, classes, layered, listed_or_between
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import LISTED, all_but_each, beside_dense, windows

KEYS = {
    **LLAMA_KEYS,
    **LISTED,
    "num_key_value_heads": SizeOf("h_kv"),
    "head_dim": SizeOf("d_h"),
    "moe_intermediate_size": SizeOf("d_exp"),
    "shared_expert_intermediate_size": SizeOf("d_sh"),
    "num_experts": SizeOf("E"),
    "num_local_experts": SizeOf("E"),
    "num_experts_per_tok": SizeOf("k"),
    **dict.fromkeys(("norm_topk_prob", "output_router_logits", "router_aux_loss_coef"), FREE),
}


def _shared(name: str) -> dict[str, tuple[str, ...]]:
    return {
        f"{LAYER}mlp.{name}.{x}_proj.weight": (f"block.feed_forward.shared_experts.{x}.W",)
        for x in ("gate", "up", "down")
    }


def _all_but_first_two(values: Values, number: int) -> list[bool]:
    """All layers but the first two, each second of four, and the last."""
    return [not (i < 2 or i % 4 == 1 or i == number - 1) for i in range(number)]


def _dense(values: Values) -> list[bool]:
    """Return which layers are dense: those that are listed, the first two unless told."""
    return listed_or_between(values, (0, 1))


FLINT = Family(
    "flint",
    classes("flint", "Flint"),
    {
        **KEYS,
        "attention_bias": Choice("attention_bias"),
        "decoder_sparse_step": Ruled(),
        "mlp_only_layers": Ruled(),
    },
    beside_dense(_all_but_first_two, _dense, asked=True),
    layered(
        {**EXPERTS, **_shared("shared_expert")},
        {**ATTENTION, f"{LAYER}self_attn.sinks": ("block.attention.core.sinks",)},
    ),
)


def _turned(values: Values) -> Settings:
    """Say whether layers without a window turn heads by their position: where none has one."""
    return {"turned_everywhere": "true" if values.get("sliding_window") is None else "false"}


NORMS = {
    f"{LAYER}{name}.weight": (f"block.norm_{i + 1}.g", f"windowed_block.norm_{i + 1}.g")
    for i, name in enumerate((
        "input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm",
        "post_mlp_layernorm",
    ))
}  # fmt: skip

KOLIBRI = Family(
    "kolibri1",
    classes("kolibri", "Kolibri1"),
    {**KEYS, "intermediate_size": FREE},
    (Rule((), _turned), *windows(all_but_each(5))),
    {**layered({**EXPERTS, **_shared("shared_experts")}), **NORMS},
    {"dense_layers": "false"},
)
