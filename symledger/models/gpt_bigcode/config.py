"""GPT-BigCode, which StarCoder is: GPT-2's keys, and one head of keys for all queries."""

from __future__ import annotations

from symledger.arguments.specs import Settings, among, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.gpt2_keys import TENSORS, USES
from symledger.errors import BadInput


def _heads(values: Values) -> Settings:
    """One head of keys for all queries, or one for each."""
    head_width(values, "n_embd", "n_head")
    shared = among("multi_query", values["multi_query"], (True, False))
    h_kv = 1 if shared else values["n_head"]
    if values.get("num_key_value_heads", h_kv) != h_kv:
        raise BadInput(
            f"num_key_value_heads = {written(values['num_key_value_heads'])} contradicts "
            f"multi_query = {shared}: {h_kv} is meant."
        )
    return {"h_kv": str(h_kv)}


GPT_BIGCODE = Family(
    "gpt_bigcode",
    {
        "GPTBigCodeForCausalLM": Built("gpt_bigcode", {"head": "lm"}),
        "GPTBigCodeModel": Built("gpt_bigcode", {"head": "bare"}),
        "GPTBigCodeForSequenceClassification": Built(
            "gpt_bigcode", {"head": "sequences"}, labels=True
        ),
        "GPTBigCodeForTokenClassification": Built("gpt_bigcode", {"head": "tokens"}, labels=True),
    },
    {
        **USES,
        "multi_query": Ruled(),
        "num_key_value_heads": Ruled(),
        **dict.fromkeys((
            "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "inference_runner",
            "validate_runner_input", "pre_allocate_kv_cache", "max_sequence_length",
            "max_batch_size", "pad_key_length",
        ), FREE),
    },
    rules=(Rule(("n_embd", "n_head"), _heads),),
    tensors=TENSORS,
)  # fmt: skip
