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


def kinds(tensors: Mapping[str, tuple[str, ...]], *others: str) -> dict[str, tuple[str, ...]]:
    """Return the weights, those of a block also in blocks of other kinds that there may be."""
    return {
        name: tuple(o for ours in partners for o in (ours, *_alike(ours, others)))
        for name, partners in tensors.items()
    }


def _alike(ours: str, others: tuple[str, ...]) -> list[str]:
    return [ours.replace("block.", f"{k}.", 1) for k in others if ours.startswith("block.")]


ATTENTION: Mapping[str, tuple[str, ...]] = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    **{
        f"model.layers.*.self_attn.{x.lower()}_proj.{weight}": (f"block.attention.{x}.{ours}",)
        for x in "QKVO" for weight, ours in (("weight", "W"), ("bias", "b"))
    },
    "model.layers.*.self_attn.q_norm.weight": ("block.attention.norm_Q.g",),
    "model.layers.*.self_attn.k_norm.weight": ("block.attention.norm_K.g",),
    "model.layers.*.input_layernorm.weight": ("block.norm_1.g",),
    "model.layers.*.post_attention_layernorm.weight": ("block.norm_2.g",),
    "model.norm.weight": ("final_norm.g",),
    **HEADS,
}  # fmt: skip
GATED: Mapping[str, tuple[str, ...]] = {
    f"model.layers.*.mlp.{name}_proj.{weight}": (f"block.feed_forward.{name}.{ours}",)
    for name in ("gate", "up", "down") for weight, ours in (("weight", "W"), ("bias", "b"))
}  # fmt: skip
EXPERTS: Mapping[str, tuple[str, ...]] = {
    "model.layers.*.mlp.gate.weight": ("block.feed_forward.router.W",),
    "model.layers.*.mlp.experts.gate_up_proj": (
        "block.feed_forward.experts.W_gate", "block.feed_forward.experts.W_up",
    ),
    "model.layers.*.mlp.experts.down_proj": ("block.feed_forward.experts.W_down",),
}  # fmt: skip
DENSE = kinds({**ATTENTION, **GATED}, "windowed_block")
"""What the weights of LLaMA and of its likes are here."""
SPARSE = kinds({**ATTENTION, **GATED, **EXPERTS}, "windowed_block", "dense_block")
"""The same where blocks have experts, or some of them have."""


def heads(entry: str, name: str, tokens: bool = True, spans: bool = True) -> dict[str, Built]:
    """Return what the classes of a decoder build, all named after it."""
    found = {
        f"{name}ForCausalLM": Built(entry, {"head": "lm"}),
        f"{name}Model": Built(entry, {"head": "bare"}),
        f"{name}ForSequenceClassification": Built(entry, {"head": "sequences"}, labels=True),
    }
    if spans:
        found[f"{name}ForQuestionAnswering"] = Built(entry, {"head": "spans"})
    if tokens:
        found[f"{name}ForTokenClassification"] = Built(entry, {"head": "tokens"}, labels=True)
    return found
