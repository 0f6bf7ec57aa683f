"""GPT and GPT-2, and GPT-3 in its words."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.catalogue.argument_specs import Choice, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ACTIVATION, HEADS, TIED
from symledger.config_keys.family import Built, Family, Unless

GPT2 = Family(
    "gpt2",
    {
        "GPT2LMHeadModel": Built("gpt2", {"head": "lm"}),
        "GPT2Model": Built("gpt2", {"head": "bare"}),
        "GPT2ForSequenceClassification": Built("gpt2", {"head": "sequences"}, labels=True),
        "GPT2ForTokenClassification": Built("gpt2", {"head": "tokens"}, labels=True),
        "GPT2ForQuestionAnswering": Built("gpt2", {"head": "spans"}),
    },
    {
        "vocab_size": SizeOf("V"),
        "n_positions": SizeOf("T_max", ("T",)),
        "n_embd": SizeOf("d"),
        "n_layer": SizeOf("L"),
        "n_head": SizeOf("h"),
        "n_inner": Unless(SizeOf("d_ff")),
        "activation_function": ACTIVATION,
        "scale_attn_weights": FREE,
        "scale_attn_by_inverse_layer_idx": FREE,
        "reorder_and_upcast_attn": FREE,
        "tie_word_embeddings": TIED,
    },
    tensors={
        "transformer.wte.weight": ("token_embedding.E",),
        "transformer.wpe.weight": ("positions.P",),
        "transformer.h.*.ln_1.weight": ("block.norm_1.g",),
        "transformer.h.*.ln_1.bias": ("block.norm_1.b",),
        "transformer.h.*.attn.c_attn.weight": tuple(f"block.attention.{x}.W" for x in "QKV"),
        "transformer.h.*.attn.c_attn.bias": tuple(f"block.attention.{x}.b" for x in "QKV"),
        "transformer.h.*.attn.c_proj.weight": ("block.attention.O.W",),
        "transformer.h.*.attn.c_proj.bias": ("block.attention.O.b",),
        "transformer.h.*.ln_2.weight": ("block.norm_2.g",),
        "transformer.h.*.ln_2.bias": ("block.norm_2.b",),
        "transformer.h.*.mlp.c_fc.weight": ("block.feed_forward.1.W",),
        "transformer.h.*.mlp.c_fc.bias": ("block.feed_forward.1.b",),
        "transformer.h.*.mlp.c_proj.weight": ("block.feed_forward.2.W",),
        "transformer.h.*.mlp.c_proj.bias": ("block.feed_forward.2.b",),
        "transformer.ln_f.weight": ("final_norm.g",),
        "transformer.ln_f.bias": ("final_norm.b",),
        **HEADS,
    },
)

WORDS: Mapping[object, str] = {
    "gelu": "gelu_tanh", "relu": "relu", "silu": "silu", "swish": "silu",
}  # fmt: skip
"""The nonlinearities as GPT's implementation names them: its own are approximate."""

GPT = Family(
    "openai-gpt",
    {
        "OpenAIGPTLMHeadModel": Built("gpt", {"head": "lm"}),
        "OpenAIGPTModel": Built("gpt", {"head": "bare"}),
        "OpenAIGPTForSequenceClassification": Built("gpt", {"head": "sequences"}, labels=True),
    },
    {
        "vocab_size": SizeOf("V"),
        "n_positions": SizeOf("T_max", ("T",)),
        "n_embd": SizeOf("d"),
        "n_layer": SizeOf("L"),
        "n_head": SizeOf("h"),
        "afn": Choice("activation", WORDS),
        "tie_word_embeddings": TIED,
        "n_special": FREE,
    },
    tensors={
        **{name: ours for name, ours in GPT2.tensors.items() if ".ln_f" not in name},
        "transformer.tokens_embed.weight": ("token_embedding.E",),
        "transformer.positions_embed.weight": ("positions.P",),
    },
)
