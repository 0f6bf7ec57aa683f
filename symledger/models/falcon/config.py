"""Falcon, with what came before it under the name RefinedWeb."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, among, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    ACTIVATION,
    HEADS,
    OLDER_WIDTH,
    QKV,
    TIED,
    affine,
    heads,
)
from symledger.config_keys.family import Context, Family, Rule, Ruled, Unless, Values
from symledger.errors import BadInput

FLAG: Mapping[object, str] = {True: "true", False: "false", None: "false"}
BLOCKS = ("new_decoder_architecture", "multi_query", "parallel_attn")


def _flags(values: Values) -> tuple[bool, bool, bool]:
    """The choices of ``BLOCKS``; null is no."""
    new, multi_query, parallel = (
        bool(among(name, values[name], (True, False, None))) for name in BLOCKS
    )
    return new, multi_query, parallel


def _heads(values: Values) -> Settings:
    """How many heads keys have: what is said counts in the new architecture only."""
    new, multi_query, _ = _flags(values)
    h = values["num_attention_heads"]
    said = h if values["num_kv_heads"] is None else size("num_kv_heads", values["num_kv_heads"])
    if not new and not multi_query and said != h:
        raise BadInput(
            f"num_kv_heads = {said} does not fit multi_query = False: each of {h} heads has its "
            "own keys then, unless new_decoder_architecture is True."
        )
    return {"h_kv": str(said if new or not multi_query else 1)}


def _norms(values: Values) -> Settings:
    """Whether each part has its norm; combinations that the implementation cannot run are none."""
    new, _, parallel = _flags(values)
    number = among("num_ln_in_parallel_attn", values["num_ln_in_parallel_attn"], (None, 1, 2))
    if new and not parallel:
        raise BadInput(
            "parallel_attn = False does not fit new_decoder_architecture = True, whose parts "
            "always stand side by side."
        )
    if parallel and not new and number == 2:
        raise BadInput(
            "num_ln_in_parallel_attn = 2 does not fit new_decoder_architecture = False, whose "
            "parallel parts share a norm."
        )
    return {"parallel": BOOLS[parallel], "two_norms": BOOLS[new and number != 1]}


FALCON = Family(
    "falcon",
    heads("falcon", "Falcon"),
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "n_embed": Ruled(),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "ffn_hidden_size": Unless(SizeOf("d_ff")),
        "max_position_embeddings": Context(),
        "activation": ACTIVATION,
        "alibi": Choice("alibi", FLAG),
        "bias": Choice("bias", FLAG),
        "tie_word_embeddings": TIED,
        "apply_residual_connection_post_layernorm": FREE,
        "ff_factor": FREE,
        **dict.fromkeys((*BLOCKS, "num_kv_heads", "num_ln_in_parallel_attn"), Ruled()),
    },
    rules=(OLDER_WIDTH, Rule(("num_attention_heads",), _heads), Rule((), _norms)),
    tensors={
        "transformer.word_embeddings.weight": ("token_embedding.E",),
        **affine("transformer.", {
            "h.*.input_layernorm": "block.norm_1",
            "h.*.post_attention_layernorm": "block.norm_2",
            "h.*.ln_attn": "block.norm_1",
            "h.*.ln_mlp": "block.norm_2",
            "h.*.self_attention.query_key_value": QKV,
            "h.*.self_attention.dense": "block.attention.O",
            "h.*.mlp.dense_h_to_4h": "block.feed_forward.1",
            "h.*.mlp.dense_4h_to_h": "block.feed_forward.2",
            "ln_f": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip
