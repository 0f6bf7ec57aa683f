"""What sees in Gemma 4: its keys."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import GATE
from symledger.config_keys.encoder_keys import Tensors, under
from symledger.config_keys.family import AtLeast, Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput

GROUPS = {"H_g": "14", "W_g": "20"}
"""No key says how large an image is: 280 vectors are left of one, as of its processor's default."""


def _heads(values: Values) -> Settings:
    """Return how wide a head is, in which columns turn one half and rows the other.

    Raises:
        BadInput: it does not divide so, or heads share no keys evenly.
    """
    e = size("head_dim", values["head_dim"])
    if e % 4:
        raise BadInput(
            f"head_dim = {e} is not supported: columns turn pairs of one half and rows of the "
            f"other. Say {max(e // 4, 1) * 4}."
        )
    h, h_kv = (size(key, values[key]) for key in ("num_attention_heads", "num_key_value_heads"))
    if h % h_kv:
        raise BadInput(f"num_key_value_heads = {h_kv} does not divide num_attention_heads = {h}.")
    return {"d_h": str(e)}


NORMS = (
    "input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
    "post_feedforward_layernorm",
)  # fmt: skip
TENSORS: Tensors = {
    "patch_embedder.input_proj.weight": ("patches.convolution.F",),
    "patch_embedder.position_embedding_table": ("column_table", "row_table"),
    **under("encoder.layers.*.", "block.", {
        **{f"{name}.weight": (f"norm_{i}.g",) for i, name in enumerate(NORMS, 1)},
        **{f"self_attn.{x}_proj.linear.weight": (f"attention.{x.upper()}.W",) for x in "qkvo"},
        **{f"self_attn.{x}_norm.weight": (f"attention.norm_{x.upper()}.g",) for x in "qk"},
        **{f"mlp.{x}_proj.linear.weight": (f"feed_forward.{x}.W",) for x in ("gate", "up", "down")},
    }),
}  # fmt: skip
GEMMA4_VISION = Family(
    "gemma4_vision", {"Gemma4VisionModel": Built("gemma4_vision")},
    {
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "num_key_value_heads": SizeOf("h_kv"),
        "head_dim": Ruled(),
        "hidden_activation": GATE,
        "patch_size": SizeOf("P"),
        "position_embedding_size": SizeOf("T_max"),
        "pooling_kernel_size": AtLeast("g", least=2),
        "standardize": Choice("standardized", BOOLS),
        "use_clipped_linears": Only((False,), "bounds around maps are not derived"),
        **dict.fromkeys(("attention_bias", "attention_dropout", "max_position_embeddings",
                         "rope_parameters", "initializer_range"), FREE),
    },
    (Rule((), _heads),), TENSORS, {"C_in": "3", **GROUPS},
)  # fmt: skip
"""Its class reads no key of biases, and has none."""
