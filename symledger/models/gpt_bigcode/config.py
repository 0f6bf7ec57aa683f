"""StarCoder: GPT-BigCode in GPT-2's words, and StarCoder2."""

from __future__ import annotations

from symledger.catalogue.argument_specs import BOOLS, Choice, Only, Settings, SizeOf, among, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ACTIVATION, HEADS, WIDTHS, affine, head_width, heads
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import ONE, windows
from symledger.errors import BadInput
from symledger.models.gpt2 import config as gpt2


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
        **gpt2.GPT2.uses,
        "multi_query": Ruled(),
        "num_key_value_heads": Ruled(),
        **dict.fromkeys((
            "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "inference_runner",
            "validate_runner_input", "pre_allocate_kv_cache", "max_sequence_length",
            "max_batch_size", "pad_key_length",
        ), FREE),
    },
    rules=(Rule(("n_embd", "n_head"), _heads),),
    tensors=gpt2.GPT2.tensors,
)  # fmt: skip

STARCODER2 = Family(
    "starcoder2",
    {
        name: built
        for name, built in heads("starcoder2", "Starcoder2").items()
        if "Question" not in name
    },
    {
        **WIDTHS,
        "num_key_value_heads": SizeOf("h_kv"),
        "hidden_act": ACTIVATION,
        "use_bias": Choice("bias", BOOLS),
        "mlp_type": Only(("default",)),
        "norm_type": Only(("layer_norm",)),
        **ONE,
    },
    rules=windows(),
    tensors={
        "model.embed_tokens.weight": ("token_embedding.E",),
        **affine("model.", {
            "layers.*.input_layernorm": "block.norm_1",
            "layers.*.post_attention_layernorm": "block.norm_2",
            **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKVO"},
            "layers.*.mlp.c_fc": "block.feed_forward.1",
            "layers.*.mlp.c_proj": "block.feed_forward.2",
            "norm": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip
