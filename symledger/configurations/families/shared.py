"""What configurations of several families say in the same words."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments import BOOLS, Choice, Size, Use
from symledger.configurations.common import FREE
from symledger.configurations.family import Built, Context, Unless

TIED = Choice("tied", BOOLS)

WIDTHS: Mapping[str, Use] = {
    "vocab_size": Size("V"),
    "hidden_size": Size("d"),
    "intermediate_size": Size("d_ff"),
    "num_hidden_layers": Size("L"),
    "num_attention_heads": Size("h"),
    "num_key_value_heads": Unless(Size("h_kv")),
    "head_dim": Unless(Size("d_h")),
    "max_position_embeddings": Context(),
    "tie_word_embeddings": TIED,
    "initializer_range": FREE,
    "pretraining_tp": FREE,
}
"""The sizes of a decoder as LLaMA's configuration names them, and many after it."""

HEADS: Mapping[str, tuple[str, ...]] = {
    "lm_head.weight": ("head.W",),
    "lm_head.bias": ("b",),
    "score.weight": ("head.W",),
    "score.bias": ("head.b",),
    "classifier.weight": ("head.W",),
    "classifier.bias": ("head.b",),
    "qa_outputs.weight": ("head.W",),
    "qa_outputs.bias": ("head.b",),
}
"""What stands behind the weights of heads, whatever class they belong to."""


def heads(entry: str, name: str, tokens: bool = True) -> dict[str, Built]:
    """Return what the classes of a decoder build, all named after it."""
    found = {
        f"{name}ForCausalLM": Built(entry, {"head": "lm"}),
        f"{name}Model": Built(entry, {"head": "bare"}),
        f"{name}ForSequenceClassification": Built(entry, {"head": "sequences"}, labels=True),
        f"{name}ForQuestionAnswering": Built(entry, {"head": "spans"}),
    }
    if tokens:
        found[f"{name}ForTokenClassification"] = Built(entry, {"head": "tokens"}, labels=True)
    return found
