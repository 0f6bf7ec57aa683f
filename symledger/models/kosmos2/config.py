"""Kosmos-2: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ACTIVATION, HEADS, TIED, affine
from symledger.config_keys.family import Built, Context, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TOWER,
    decoding,
    grid,
    lasting,
    tied_by_either,
)
from symledger.errors import BadInput
from symledger.models.clip.config import KOSMOS2_IMAGE, image

TENSORS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    **affine("model.", {
        **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKV"},
        "layers.*.self_attn.out_proj": "block.attention.O",
        "layers.*.self_attn.inner_attn_ln": "block.attention.inner_norm",
        "layers.*.self_attn_layer_norm": "block.norm_1",
        "layers.*.ffn.fc1": "block.feed_forward.1", "layers.*.ffn.fc2": "block.feed_forward.2",
        "layers.*.ffn.ffn_layernorm": "block.feed_forward.inner_norm",
        "layers.*.final_layer_norm": "block.norm_2",
        "layer_norm": "final_norm",
    }),
    **HEADS,
}  # fmt: skip


def _divided(values: Values) -> Settings:
    """Refuse heads that do not divide the width, as the class does.

    Raises:
        BadInput: they do not.
    """
    d, h = (size(name, values[name]) for name in ("embed_dim", "attention_heads"))
    if d % h:
        raise BadInput(f"attention_heads = {h} does not divide embed_dim = {d}.")
    return {}


KOSMOS2_TEXT = Family(
    "kosmos_2_text_model",
    {"Kosmos2TextForCausalLM": Built("kosmos2_text", {"head": "lm"}),
     "Kosmos2TextModel": Built("kosmos2_text", {"head": "bare"})},
    {
        "vocab_size": SizeOf("V"),
        "embed_dim": SizeOf("d"),
        "ffn_dim": SizeOf("d_ff"),
        "layers": SizeOf("L"),
        "attention_heads": SizeOf("h"),
        "max_position_embeddings": Context(),
        "activation_function": ACTIVATION,
        "tie_word_embeddings": TIED,
        "add_cross_attention": Only((False,), "attention to another source is not derived"),
        "scale_embedding": FREE,
    },
    (Rule(("embed_dim", "attention_heads"), _divided),),
    TENSORS,
)  # fmt: skip
TEXT = decoding(KOSMOS2_TEXT)
VISION = replace(KOSMOS2_IMAGE, uses={**KOSMOS2_IMAGE.uses, **TOWER})


def _seen(values: Values) -> Settings:
    """Return how many patches an image has, and how long a sequence is."""
    queries = size("latent_query_num", values["latent_query_num"])
    return {**grid(values, TEXT, VISION), **lasting(values, TEXT, queries)}


KOSMOS2 = Family(
    "kosmos-2",
    {f"Kosmos2{name}": Built("kosmos2", {"head": head})
     for name, head in (("ForConditionalGeneration", "lm"), ("Model", "bare"))},
    {"latent_query_num": SizeOf("n_q"), "tie_word_embeddings": Ruled()},
    (Rule(("latent_query_num",), _seen), tied_by_either(TEXT)),
    {
        **{f"text_model.{name}": ours for name, ours in TENSORS.items()},
        **image("vision_model.model.", "tower."),
        "image_to_text_projection.latent_query": ("queries",),
        **affine("image_to_text_projection.", {
            "dense": "projection", "x_attn.out_proj": "reading.O",
            **{f"x_attn.{x.lower()}_proj": f"reading.{x}" for x in "QKV"},
        }),
    },
    implied=ONE_IMAGE, parts={"text_config": TEXT, "vision_config": VISION},
)  # fmt: skip
