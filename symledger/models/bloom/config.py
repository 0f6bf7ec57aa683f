"""BLOOM."""

from __future__ import annotations

from symledger.arguments.specs import Only, Settings, SizeOf, among, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS, OLDER_WIDTH, QKV, TIED, affine, heads
from symledger.config_keys.family import Context, Family, Rule, Ruled, Values
from symledger.errors import BadInput


def _whole(values: Values) -> Settings:
    """Refuse maps that are made slice by slice, as in training on several devices."""
    exact = among("slow_but_exact", values["slow_but_exact"], (True, False))
    slices = size("pretraining_tp", values["pretraining_tp"], least=0)
    if exact and slices > 1:
        raise BadInput(
            f"slow_but_exact = true with pretraining_tp = {slices} is not supported: maps are made "
            "slice by slice then, and added up. Say slow_but_exact = false."
        )
    return {}


BLOOM = Family(
    "bloom",
    heads("bloom", "Bloom"),
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "n_embed": Ruled(),
        "n_layer": SizeOf("L"),
        "n_head": SizeOf("h"),
        "seq_length": Context(),
        "apply_residual_connection_post_layernorm": Only((False,)),
        "slow_but_exact": Ruled(),
        "pretraining_tp": Ruled(),
        "tie_word_embeddings": TIED,
        **dict.fromkeys((
            "offset_alibi", "attention_softmax_in_fp32", "skip_bias_add",
            "skip_bias_add_qkv", "masked_softmax_fusion", "bias_dropout_fusion",
        ), FREE),
    },
    rules=(OLDER_WIDTH, Rule((), _whole)),
    tensors={
        "transformer.word_embeddings.weight": ("token_embedding.E",),
        **affine("transformer.", {
            "word_embeddings_layernorm": "embedding_norm",
            "h.*.input_layernorm": "block.norm_1",
            "h.*.self_attention.query_key_value": QKV,
            "h.*.self_attention.dense": "block.attention.O",
            "h.*.post_attention_layernorm": "block.norm_2",
            "h.*.mlp.dense_h_to_4h": "block.feed_forward.1",
            "h.*.mlp.dense_4h_to_h": "block.feed_forward.2",
            "ln_f": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip
