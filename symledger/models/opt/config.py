"""OPT, and BioGPT in its words."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ACTIVATION, HEADS, TIED, WIDTHS, affine, heads
from symledger.config_keys.family import Family, Rule, Unless, Values

NOT: Mapping[object, str] = {True: "false", False: "true"}


def _projected(values: Values) -> Settings:
    """A table as wide as the model needs no projection; that is what null means too."""
    narrow = values["word_embed_proj_dim"] not in (None, values["hidden_size"])
    return {"projected": BOOLS[narrow]}


OPT = Family(
    "opt",
    heads("opt", "OPT", tokens=False),
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "word_embed_proj_dim": Unless(SizeOf("d_e")),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "ffn_dim": SizeOf("d_ff"),
        "max_position_embeddings": SizeOf("T_max", ("T",)),
        "activation_function": ACTIVATION,
        "do_layer_norm_before": Choice("post_norm", NOT),
        "_remove_final_layer_norm": Choice("last_norm", NOT),
        "enable_bias": Choice("bias", BOOLS),
        "layer_norm_elementwise_affine": Choice("affine", BOOLS),
        "tie_word_embeddings": TIED,
        "learned_embeddings": Only((True,)),
        "scale_embeddings": Only((False,)),
    },
    rules=(Rule(("word_embed_proj_dim", "hidden_size"), _projected),),
    tensors={
        "model.decoder.embed_tokens.weight": ("token_embedding.E",),
        "model.decoder.embed_positions.weight": ("positions.P",),
        "model.decoder.project_in.weight": ("project_in.W",),
        "model.decoder.project_out.weight": ("project_out.W",),
        **affine("model.decoder.", {
            **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKV"},
            "layers.*.self_attn.out_proj": "block.attention.O",
            "layers.*.self_attn_layer_norm": "block.norm_1",
            "layers.*.fc1": "block.feed_forward.1",
            "layers.*.fc2": "block.feed_forward.2",
            "layers.*.final_layer_norm": "block.norm_2",
            "final_layer_norm": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip

BIOGPT = Family(
    "biogpt",
    heads("opt", "BioGpt", spans=False),
    {
        **{name: use for name, use in WIDTHS.items()
           if name not in ("head_dim", "num_key_value_heads")},
        "hidden_act": ACTIVATION,
        "max_position_embeddings": SizeOf("T_max", ("T",)),
        "scale_embedding": FREE,
    },
    (),
    {
        "biogpt.embed_tokens.weight": ("token_embedding.E",),
        "biogpt.embed_positions.weight": ("positions.P",),
        **affine("biogpt.", {
            **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKV"},
            "layers.*.self_attn.out_proj": "block.attention.O",
            "layers.*.self_attn_layer_norm": "block.norm_1",
            "layers.*.fc1": "block.feed_forward.1",
            "layers.*.fc2": "block.feed_forward.2",
            "layers.*.final_layer_norm": "block.norm_2",
            "layer_norm": "final_norm",
        }),
        **HEADS,
        "output_projection.weight": ("head.W",),
    },
)  # fmt: skip
"""Rows of its table are scaled, which is no contraction, and left out."""
