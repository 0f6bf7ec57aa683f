"""Every family that can be read, in editorial order: one concept a file, one row a model_type."""

from __future__ import annotations

from symledger.configurations.families import (
    albert,
    bert,
    deberta,
    distilbert,
    gpt2,
    llama,
    mixtral,
    seq2seq,
)
from symledger.configurations.family import Family

FAMILIES: tuple[Family, ...] = (
    gpt2.GPT2, llama.LLAMA, mixtral.MIXTRAL,
    bert.BERT, bert.ROBERTA, bert.XLM_ROBERTA, bert.CAMEMBERT, distilbert.DISTILBERT,
    albert.ALBERT, albert.ELECTRA, deberta.DEBERTA,
    seq2seq.T5, seq2seq.MT5, seq2seq.BART, seq2seq.MBART, seq2seq.WHISPER,
)  # fmt: skip
