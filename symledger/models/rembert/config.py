"""RemBERT, RoFormer and BertGeneration: BERT's keys, and some of their own."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.encoder_keys import (
    LAYER,
    MASKED,
    TABLES,
    WIDTHS,
    classes,
    encoder,
    looking_back,
    maps,
    norms,
    under,
)
from symledger.config_keys.family import Built, Family, Rule, Values

UNUSUAL = Only((False,), "values would be turned as well")
REMBERT = Family(
    "rembert",
    looking_back(classes("rembert", "RemBert", "ForMultipleChoice", "ForCausalLM")),
    {
        **WIDTHS,
        "input_embedding_size": SizeOf("d_e"),
        "output_embedding_size": SizeOf("d_out"),
        "classifier_dropout_prob": FREE,
        "tie_word_embeddings": Only((False,), "the table of scores is wider than that of tokens"),
    },
    tensors=encoder("rembert", {
        **maps(rembert__pooler__dense="pooler.map",
               rembert__encoder__embedding_hidden_mapping_in="projection",
               cls__predictions__dense="masked_head.map"),
        **norms(cls__predictions__LayerNorm="masked_head.norm"),
        "cls.predictions.decoder.weight": ("masked_head.table.W",),
        "cls.predictions.decoder.bias": ("masked_head.b",),
    }),
)  # fmt: skip


def _narrow(values: Values) -> Settings:
    """Say whether a map leads from the tables to the blocks: where their widths differ."""
    width = values["embedding_size"]
    narrow = width is not None and width != values["hidden_size"]
    return {"narrow": BOOLS[narrow], **({"d_e": str(width)} if narrow else {})}


ROFORMER = Family(
    "roformer",
    looking_back(classes("roformer", "RoFormer", "ForCausalLM")),
    {
        **WIDTHS,
        "embedding_size": FREE,
        "rotary_value": UNUSUAL,
    },
    rules=(Rule(("embedding_size", "hidden_size"), _narrow),),
    tensors=encoder("roformer", under("cls.predictions.", "", MASKED), {
        **maps(roformer__embeddings_project="projection",
               classifier__dense="pooler.map", classifier__out_proj="classifier"),
        "roformer.encoder.embed_positions.weight": ("P",),
    }),
)  # fmt: skip

BERT_GENERATION = Family(
    "bert-generation",
    {
        "BertGenerationDecoder": Built("bert_generation", {"head": "masked"}),
        "BertGenerationEncoder": Built("bert_generation", {"head": "bare"}),
    },
    {**{name: use for name, use in WIDTHS.items() if name != "type_vocab_size"},
     "is_decoder": Choice("causal"), "tie_word_embeddings": TIED},
    tensors={
        **under("bert.embeddings.", "", TABLES), **under("bert.encoder.layer.*.", "block.", LAYER),
        "lm_head.bias": ("b",), "lm_head.decoder.weight": ("table.W",),
        "lm_head.decoder.bias": ("b_idle",),
    },
)  # fmt: skip
