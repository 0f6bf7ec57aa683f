"""MiMo-V2-Flash: LLaMA's keys, windows, and those of experts."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Free, Number, Settings, SizeOf, written
from symledger.config_keys.common import FREE, SHARE
from symledger.config_keys.decoder_keys import ATTENTION, EXPERTS, LLAMA_KEYS, turned
from symledger.config_keys.expert_keys import LAYER, classes, grouped, layered, listed_dense
from symledger.config_keys.family import Family, Rule, Ruled, Unless, Values
from symledger.config_keys.window_keys import FULL, LISTED, SLIDING, beside_dense, by_kind
from symledger.errors import BadInput


def _all_but_first_and_sixth(values: Values, number: int) -> list[bool]:
    """All layers but the first, and the last of every six."""
    return [bool(i and (i + 1) % 6) for i in range(number)]


def _turned(values: Values) -> Settings:
    """Return how much of a head is turned, in layers of both kinds.

    Raises:
        BadInput: it is not as much in both.
    """
    said = by_kind(values)
    full, near = ((said.get(kind) or {}).get(SHARE, 0.334) for kind in (FULL, SLIDING))
    if full != near:
        raise BadInput(
            f"rope_parameters with {SHARE} = {written(full)} of {FULL} and {written(near)} of "
            f"{SLIDING} is not supported: layers of both kinds turn as much of a head."
        )
    return turned({SHARE: full}, SHARE, 1.0, values["head_dim"])


MIMO = Family(
    "mimo_v2_flash",
    classes("mimo", "MiMoV2Flash"),
    {
        **LLAMA_KEYS,
        **LISTED,
        "num_key_value_heads": SizeOf("h_kv"),
        "head_dim": SizeOf("d_h"),
        "v_head_dim": SizeOf("d_v"),
        "attention_bias": Choice("attention_bias", BOOLS),
        "moe_intermediate_size": SizeOf("d_exp"),
        "n_routed_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        "mlp_layer_types": Ruled(),
        "rope_parameters": Ruled(),
        "attention_value_scale": Unless(Number()),
        "routed_scaling_factor": Unless(Free((float,))),
        "add_full_attention_sink_bias": FREE,
        **dict.fromkeys(("n_group", "topk_group", "norm_topk_prob", "output_router_logits"), FREE),
    },
    (
        Rule(("head_dim",), _turned),
        grouped(2),
        *beside_dense(_all_but_first_and_sixth, listed_dense, asked=True),
    ),
    layered(EXPERTS, {**ATTENTION, f"{LAYER}self_attn.sinks": ("block.attention.core.sinks",)}),
)
