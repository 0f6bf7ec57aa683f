"""EuroBERT: an encoder's sizes in LLaMA's words, and how a sequence is classified."""

from __future__ import annotations

from symledger.arguments.specs import Choice
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import BIASES, DENSE, DIVIDED, LLAMA_KEYS
from symledger.config_keys.encoder_keys import maps
from symledger.config_keys.family import Built, Family

POOLED = Choice("head", {"bos": "sequences", "mean": "mean", "late": "late"})
"""What is scored of a sequence: the other classes read every token."""

EUROBERT = Family(
    "eurobert",
    {
        "EuroBertForMaskedLM": Built("eurobert", {"head": "masked"}),
        "EuroBertModel": Built("eurobert", {"head": "bare"}),
        "EuroBertForSequenceClassification":
            Built("eurobert", {"head": "late"}, True, {"classifier_pooling": POOLED}),
        "EuroBertForTokenClassification": Built("eurobert", {"head": "tokens"}, labels=True),
    },
    {**LLAMA_KEYS, **BIASES, "classifier_pooling": FREE},
    (DIVIDED,),
    {
        **DENSE,
        "lm_head.weight": ("masked_head.W",),
        **maps(dense="head_map", classifier="classifier"),
    },
)  # fmt: skip
