"""Command R7B and Command A."""

from __future__ import annotations

from symledger.arguments import Choice, Number
from symledger.configurations.common import FREE
from symledger.configurations.families import windows
from symledger.configurations.families.shared import ACTIVATION, DENSE, WIDTHS, heads
from symledger.configurations.family import Family, Ruled

KEYS = {
    **WIDTHS,
    "hidden_act": ACTIVATION,
    "attention_bias": Choice("bias"),
    "attention_dropout": FREE,
    "logit_scale": Number(),
}
BARE = {"tokens": False, "spans": False, "sequences": False}

COHERE2 = Family(
    "cohere2",
    heads("cohere2", "Cohere2", **BARE),
    {**KEYS, **windows.LISTED, "sliding_window_pattern": Ruled(), "use_qk_norm": FREE,
     "cache_implementation": FREE, "layer_switch": FREE, "order_of_interleaved_layers": FREE,
     "position_embedding_type": FREE, "rotary_pct": FREE, "use_embedding_sharing": FREE,
     "use_gated_activation": FREE, "use_parallel_block": FREE,
     "use_parallel_embedding": FREE},
    windows.windows(windows.all_but_each(4, "sliding_window_pattern"), asked=True),
    DENSE,
)  # fmt: skip
"""Its published files hold keys of another implementation, which its class does not read."""
