"""GPT, whose implementation names most as GPT-2's does."""

from __future__ import annotations

from symledger.arguments.specs import SizeOf
from symledger.config_keys.activations import ONE_PIECE, Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.family import Built, Family
from symledger.config_keys.gpt2_keys import TENSORS

WORDS = Acting(otherwise={**ONE_PIECE, "gelu": "gelu_tanh"})
"""The nonlinearities as GPT's implementation names them: its ``gelu`` is approximate."""

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
        "afn": WORDS,
        "tie_word_embeddings": TIED,
        "n_special": FREE,
    },
    tensors={
        **{name: ours for name, ours in TENSORS.items() if ".ln_f" not in name},
        "transformer.tokens_embed.weight": ("token_embedding.E",),
        "transformer.positions_embed.weight": ("positions.P",),
    },
)
