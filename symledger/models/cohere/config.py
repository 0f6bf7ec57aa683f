"""Cohere's Command R, and Command R7B and A."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Number
from symledger.config_keys import window_keys as windows
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ACTIVATION, AFFINE, DENSE, FLOORED, WIDTHS, heads
from symledger.config_keys.family import Built, Family, Ruled

FLAG: Mapping[object, str] = {True: "true", False: "false", None: "false"}

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
        "logit_scale": Number(),
    },
    (FLOORED,),
    AFFINE,
)

COHERE2 = Family(
    "cohere2",
    heads("cohere2", "Cohere2", tokens=False, spans=False, sequences=False),
    {**WIDTHS, "hidden_act": ACTIVATION, "attention_bias": Choice("bias"),
     "attention_dropout": FREE, "logit_scale": Number(),
     **windows.LISTED, "sliding_window_pattern": Ruled(), "use_qk_norm": FREE,
     "cache_implementation": FREE, "layer_switch": FREE, "order_of_interleaved_layers": FREE,
     "position_embedding_type": FREE, "rotary_pct": FREE, "use_embedding_sharing": FREE,
     "use_gated_activation": FREE, "use_parallel_block": FREE,
     "use_parallel_embedding": FREE},
    (FLOORED, *windows.windows(
        windows.all_but_each(4, "sliding_window_pattern"), asked=True,
    )),
    DENSE,
)  # fmt: skip
"""Its published files hold keys of another implementation, which its class does not read."""
