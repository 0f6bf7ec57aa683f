"""GPT-NeoX, Pythia in its words, and GPT-NeoX Japanese."""

from __future__ import annotations

from math import inf

from symledger.arguments.specs import BOOLS, Choice, Settings, size, written
from symledger.config_keys.decoder_keys import (
    ACTIVATION,
    HEADS,
    QKV,
    WIDTHS,
    affine,
    head_width,
    heads,
    kinds,
    turned,
)
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput

NOT_HERE = ("head_dim", "num_key_value_heads")
ROPE = ("rotary_pct", "rope_parameters", "rope_scaling")


def _turned(values: Values) -> Settings:
    return turned(values, "rotary_pct", 0.25, head_width(values))


GPT_NEOX = Family(
    "gpt_neox",
    heads("gpt_neox", "GPTNeoX"),
    {
        **{name: use for name, use in WIDTHS.items() if name not in NOT_HERE},
        "hidden_act": ACTIVATION,
        "use_parallel_residual": Choice("parallel", BOOLS),
        "attention_bias": Choice("attention_bias", BOOLS),
        **dict.fromkeys(ROPE, Ruled()),
    },
    rules=(Rule(("hidden_size", "num_attention_heads"), _turned),),
    tensors={
        "gpt_neox.embed_in.weight": ("token_embedding.E",),
        **affine("gpt_neox.", {
            "layers.*.input_layernorm": "block.norm_1",
            "layers.*.post_attention_layernorm": "block.norm_2",
            "layers.*.attention.query_key_value": QKV,
            "layers.*.attention.dense": "block.attention.O",
            "layers.*.mlp.dense_h_to_4h": "block.feed_forward.1",
            "layers.*.mlp.dense_4h_to_h": "block.feed_forward.2",
            "final_layer_norm": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip


def _widened(values: Values) -> Settings:
    """Return how wide networks are: so many times the model, rounded down.

    Raises:
        BadInput: nothing of it is left, or it is no number.
    """
    times, d = values["intermediate_multiple_size"], size("hidden_size", values["hidden_size"])
    if isinstance(times, bool) or not isinstance(times, int | float) or not 1 <= d * times < inf:
        raise BadInput(
            f"intermediate_multiple_size = {written(times)} does not fit: networks are so many "
            f"times {d} wide. Choose a number above 0, such as 4."
        )
    return {"d_ff": str(int(d * times))}


def _turned_whole(values: Values) -> Settings:
    return turned(values, "rotary_pct", 1.0, head_width(values))


INSIDE = "gpt_neox_japanese.layers.*."
JAPANESE = Family(
    "gpt_neox_japanese",
    {"GPTNeoXJapaneseForCausalLM": Built("gpt_neox_japanese", {"head": "lm"}),
     "GPTNeoXJapaneseModel": Built("gpt_neox_japanese", {"head": "bare"})},
    {
        **{name: use for name, use in WIDTHS.items()
           if name not in (*NOT_HERE, "intermediate_size")},
        "hidden_act": ACTIVATION,
        "intermediate_multiple_size": Ruled(),
        "rotary_emb_base": Ruled(),
        **dict.fromkeys(ROPE, Ruled()),
    },
    (Rule(("hidden_size",), _widened),
     Rule(("hidden_size", "num_attention_heads"), _turned_whole)),
    {
        **kinds({
            "gpt_neox_japanese.embed_in.weight": ("token_embedding.E",),
            f"{INSIDE}attention.dense_bias": ("last_block.attention.O.b",),
            **affine("gpt_neox_japanese.", {
                "layers.*.input_layernorm": "block.norm_1",
                "layers.*.post_attention_layernorm": "block.norm_2",
                "layers.*.attention.query_key_value": QKV,
                "layers.*.attention.dense": "block.attention.O",
                "layers.*.mlp.dense_h_to_4h": "block.feed_forward.1",
                "layers.*.mlp.dense_4h_to_h": "block.feed_forward.2",
                "final_layer_norm": "final_norm",
            }),
            **HEADS,
            "embed_out.weight": ("head.W",),
        }, "last_block"),
    },
)  # fmt: skip
