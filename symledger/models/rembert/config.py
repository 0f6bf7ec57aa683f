"""RemBERT: BERT's keys, and the widths of its tables."""

from __future__ import annotations

from symledger.arguments.specs import Only, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import (
    WIDTHS,
    classes,
    encoder,
    looking_back,
    maps,
    norms,
)
from symledger.config_keys.family import Family

REMBERT = Family(
    "rembert",
    looking_back(classes("rembert", "RemBert", "ForMultipleChoice", "ForCausalLM")),
    {
        **WIDTHS,
        "input_embedding_size": SizeOf("d_e"),
        "output_embedding_size": SizeOf("d_o"),
        "tie_word_embeddings": Only((False,), "both tables are there, and differ in width"),
        "classifier_dropout_prob": FREE,
    },
    tensors=encoder("rembert", {
        **maps(rembert__encoder__embedding_hidden_mapping_in="projection",
               rembert__pooler__dense="pooler.map", cls__predictions__dense="masked_head.map"),
        **norms(cls__predictions__LayerNorm="masked_head.norm"),
        "cls.predictions.decoder.weight": ("masked_head.table.W",),
        "cls.predictions.decoder.bias": ("masked_head.b",),
    }),
)  # fmt: skip
