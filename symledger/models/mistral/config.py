"""Mistral: LLaMA's keys, and a window; Ministral and CWM list the layers that have one; Moshi."""

from __future__ import annotations

from symledger.arguments.specs import Only, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, DIVIDED, FLOORED, LLAMA_KEYS, heads
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import LISTED, ONE, all_but_first_of, all_of_them, windows
from symledger.errors import BadInput

MISTRAL = Family(
    "mistral",
    heads("mistral", "Mistral"),
    {**LLAMA_KEYS, **ONE},
    (FLOORED, *windows()),
    DENSE,
)

MINISTRAL = Family(
    "ministral",
    heads("mistral", "Ministral"),
    {**LLAMA_KEYS, "head_dim": SizeOf("d_h"), **LISTED},
    windows(all_of_them, asked=True),
    DENSE,
)

MINISTRAL3 = Family(
    "ministral3",
    heads("mistral", "Ministral3"),
    {**LLAMA_KEYS, **ONE, "num_key_value_heads": SizeOf("h_kv")},
    (FLOORED, *windows()),
    DENSE,
)
"""Its queries grow with their position, by numbers that are no parameters."""

CWM = Family(
    "cwm",
    heads("mistral", "Cwm", tokens=False, spans=False, sequences=False),
    {**LLAMA_KEYS, **LISTED, "mlp_bias": Only((False,))},
    (DIVIDED, *windows(all_but_first_of(4))),
    DENSE,
)


def _halved(values: Values) -> Settings:
    """Return the width of a network, whose gate and other half are one map.

    Raises:
        BadInput: there are no two halves, or no window.
    """
    both = size("ffn_dim", values["ffn_dim"])
    if both % 2:
        raise BadInput(
            f"ffn_dim = {both} does not fit: half of it are gates. Choose an even number: "
            f"{both + 1}, for instance."
        )
    return {"d_ff": str(both // 2), "w_max": str(size("sliding_window", values["sliding_window"]))}


MLP = "model.layers.*.mlp."
MOSHI = Family(
    "moshi",
    heads("moshi", "Moshi", tokens=False, spans=False, sequences=False),
    {
        **{name: use for name, use in LLAMA_KEYS.items()
           if name not in ("intermediate_size", "tie_word_embeddings")},
        **dict.fromkeys(("ffn_dim", "sliding_window"), Ruled()),
        "tie_word_embeddings": Only((False,), "the table has a row more than the head"),
        **dict.fromkeys((
            "audio_vocab_size", "num_codebooks", "audio_encoder_config", "depth_decoder_config",
        ), FREE),
    },
    (DIVIDED, Rule((), _halved)),
    {
        **DENSE,
        **{f"model.layers.*.self_attn.{x.lower()}_proj.linear.weight": (f"block.attention.{x}.W",)
           for x in "QKVO"},
        f"{MLP}fc1.weight": ("block.feed_forward.gate.W", "block.feed_forward.up.W"),
        f"{MLP}fc2.weight": ("block.feed_forward.down.W",),
    },
)  # fmt: skip
"""Parts of the model that hear and speak belong to another class of it."""
