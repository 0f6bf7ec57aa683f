"""GPT-2, and GPT-3 and GPT-SW3 in its words."""

from __future__ import annotations

from dataclasses import replace

from symledger.config_keys.family import Built, Family
from symledger.config_keys.gpt2_keys import TENSORS, USES

GPT2 = Family(
    "gpt2",
    {
        "GPT2LMHeadModel": Built("gpt2", {"head": "lm"}),
        "GPT2Model": Built("gpt2", {"head": "bare"}),
        "GPT2ForSequenceClassification": Built("gpt2", {"head": "sequences"}, labels=True),
        "GPT2ForTokenClassification": Built("gpt2", {"head": "tokens"}, labels=True),
        "GPT2ForQuestionAnswering": Built("gpt2", {"head": "spans"}),
    },
    USES,
    tensors=TENSORS,
)

GPT_SW3 = replace(GPT2, model_type="gpt-sw3", like="gpt2")
