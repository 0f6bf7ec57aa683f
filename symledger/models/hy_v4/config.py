"""HY-V4: GLM-5's keys, and those of residual streams."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import Free, Number, Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import layers
from symledger.config_keys.expert_keys import classes, grouped, some_or_none
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.models.deepseek_v32.config import (
    FULL,
    KEYS,
    SHARED,
    every_indexed,
    indexing,
    left_unturned,
    tensors_of,
)

UNREAD = ("first_k_dense_replace", "moe_layer_freq", "mlp_bias", "rope_interleave", "topk_method",
          "scoring_func", "num_mtp_layers", "aux_loss_alpha", "seq_aux",
          "ep_size", "pretraining_tp")  # fmt: skip
"""Keys of DeepSeek's that the class has not."""
ROUTED = Only(
    ("silu", "swish"), "experts go through SiLU whatever is said, and only that is derived for all"
)
STREAMS: Mapping[str, str] = {"fn": "W", "base": "b", "scale": "a"}


def _indexing(values: Values) -> Settings:
    """Say which layers have an indexer: the first, and of those behind it one of every four."""
    if values["indexer_types"] is not None:
        return indexing(values)
    of_each = [FULL if i == 0 or i % 4 == 1 else SHARED for i in range(layers(values))]
    return indexing({**values, "indexer_types": of_each})


def _tensors() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the implementation, of each kind of layer."""
    added = {
        "self_attn.sinks": "attention.core.sinks",
        "self_attn.gate_proj.weight": "attention.gate.W",
        **{f"{part}_hc.{theirs}": f"streams_{number}.{ours}"
           for part, number in (("attn", 1), ("ffn", 2)) for theirs, ours in STREAMS.items()},
    }  # fmt: skip
    kinds = ("dense_block", "block", "told_dense_block", "told_block")
    return {
        **tensors_of(),
        **{f"model.layers.*.{theirs}": tuple(f"{kind}.{ours}" for kind in kinds)
           for theirs, ours in added.items()},
        **{f"model.hc_head.hc_{theirs}": (f"streams.{ours}",) for theirs, ours in STREAMS.items()},
    }  # fmt: skip


HY_V4 = Family(
    "hy_v4",
    classes("hy_v4", "HYV4"),
    {
        **{name: use for name, use in KEYS.items() if name not in UNREAD},
        "num_key_value_heads": FREE,
        "hidden_act": ROUTED,
        "indexer_types": Ruled(),
        "hc_mult": SizeOf("n_s"),
        "swiglu_limit": Number(),
        **dict.fromkeys(("hc_magnitude", "hc_eps", "learnable_sink_init"), Free((float,))),
    },
    (
        Rule(("num_hidden_layers",), some_or_none),
        Rule(("num_hidden_layers",), _indexing),
        Rule(("qk_rope_head_dim", "index_head_dim"), left_unturned),
        Rule((), every_indexed),
        grouped(2),
    ),
    _tensors(),
)  # fmt: skip
"""Keys and values have as many heads as queries, whatever ``num_key_value_heads`` says."""
