"""BERT for generation: BERT's keys, of which some are not there."""

from __future__ import annotations

from symledger.config_keys.encoder_keys import LAYER, TABLES, WIDTHS, under
from symledger.config_keys.family import Built, Family

OURS = {**under("embeddings.", "", TABLES), **under("encoder.layer.*.", "block.", LAYER)}

BERT_GENERATION = Family(
    "bert-generation",
    {
        "BertGenerationDecoder": Built("bert_generation", {"head": "lm"}),
        "BertGenerationEncoder": Built("bert_generation", {"head": "bare"}),
    },
    {name: use for name, use in WIDTHS.items() if name != "type_vocab_size"},
    tensors={
        **OURS, **under("bert.", "", OURS),
        "lm_head.bias": ("b",), "lm_head.decoder.bias": ("b_idle",),
        "lm_head.decoder.weight": ("head.W",),
    },
)  # fmt: skip
