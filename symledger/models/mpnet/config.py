"""MPNet: RoBERTa's keys without segments, and the buckets of its distances."""

from __future__ import annotations

from symledger.arguments.specs import SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import (
    SECOND,
    WIDTHS,
    classes,
    encoder,
    maps,
    norms,
    under,
)
from symledger.config_keys.family import AtLeast, Family, Several, Shifted

LAYER = {
    **maps(attention__attn__q="attention.Q", attention__attn__k="attention.K",
           attention__attn__v="attention.V", attention__attn__o="attention.O"),
    **norms(attention__LayerNorm="norm_1"),
}  # fmt: skip

MPNET = Family(
    "mpnet",
    classes("mpnet", "MPNet", "ForMultipleChoice"),
    {
        **{name: use for name, use in WIDTHS.items() if name != "type_vocab_size"},
        "is_decoder": FREE,
        "max_position_embeddings": Several((SizeOf("T_max"), Shifted("T", by=-2))),
        "relative_attention_num_buckets": AtLeast("n_b", least=32),
    },
    tensors=encoder(
        "mpnet",
        under("mpnet.encoder.layer.*.", "block.", LAYER),
        {"mpnet.encoder.relative_attention_bias.weight": ("R",)},
        maps(mpnet__pooler__dense="pooler.map", classifier__dense="pooler.map",
             classifier__out_proj="classifier", lm_head__dense="masked_head.map"),
        norms(lm_head__layer_norm="masked_head.norm"),
        {"lm_head.bias": ("masked_head.b",), **under("lm_head.", "", SECOND)},
    ),
)  # fmt: skip
"""Distances fall into 32 buckets whatever is said, so a shorter table would not do; positions
begin behind row 1, which is that of padding."""
