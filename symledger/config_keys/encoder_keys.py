"""What configurations of encoders say in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Choice, Only, SizeOf, Use
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.family import Built

ACTIVATION = Acting()

WIDTHS: Mapping[str, Use] = {
    "vocab_size": SizeOf("V"),
    "hidden_size": SizeOf("d"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "intermediate_size": SizeOf("d_ff"),
    "hidden_act": ACTIVATION,
    "max_position_embeddings": SizeOf("T_max", ("T",)),
    "type_vocab_size": SizeOf("V_seg"),
    "is_decoder": Choice("causal"),
    "position_embedding_type": Only(("absolute",)),
    "tie_word_embeddings": TIED,
    "classifier_dropout": FREE,
    "output_past": FREE,
}
"""The sizes of an encoder as BERT's configuration names them."""

LINEAR = (("weight", "W"), ("bias", "b"))
NORM = (("weight", "g"), ("bias", "b"))
Tensors = dict[str, tuple[str, ...]]


def maps(**names: str) -> Tensors:
    """Return whose weights and biases those of some maps are, ``__`` for a dot in their names."""
    return _paired(names, LINEAR)


def norms(**names: str) -> Tensors:
    """Return the same for norms."""
    return _paired(names, NORM)


def under(prefix: str, ours: str, tensors: Tensors) -> Tensors:
    """Return the same tensors inside a part that is called ``prefix`` there, and ``ours`` here."""
    return {f"{prefix}{n}": tuple(f"{ours}{x}" for x in found) for n, found in tensors.items()}


def _paired(names: Mapping[str, str], kinds: tuple[tuple[str, str], ...]) -> Tensors:
    return {
        f"{name.replace('__', '.')}.{x}": (f"{ours}.{y}",)
        for name, ours in names.items() for x, y in kinds
    }  # fmt: skip


LAYER: Tensors = {
    **maps(
        attention__self__query="attention.Q", attention__self__key="attention.K",
        attention__self__value="attention.V", attention__output__dense="attention.O",
        intermediate__dense="feed_forward.1", output__dense="feed_forward.2",
    ),
    **norms(attention__output__LayerNorm="norm_1", output__LayerNorm="norm_2"),
}  # fmt: skip
"""A layer of BERT, and of what was written after it."""

TABLES: Tensors = {
    "word_embeddings.weight": ("token_embedding.E", "E"),
    "position_embeddings.weight": ("positions.P",),
    "token_type_embeddings.weight": ("segment_embedding.E",),
    **norms(LayerNorm="embedding_norm"),
}

SECOND: Tensors = {
    "decoder.weight": ("masked_head.table.W",), "decoder.bias": ("b_idle",),
}  # fmt: skip
"""What a head that is not tied has besides: a table, and a second bias; it uses one of the two."""

MASKED: Tensors = {
    "bias": ("masked_head.b",), **SECOND,
    **maps(transform__dense="masked_head.map"),
    **norms(transform__LayerNorm="masked_head.norm"),
}

CLASSIFIED = maps(classifier="classifier", qa_outputs="classifier")


def encoder(model: str, *others: Tensors) -> Tensors:
    """Return whose weights those of an encoder are that is written like BERT."""
    found = {
        **under(f"{model}.embeddings.", "", TABLES),
        **under(f"{model}.encoder.layer.*.", "block.", LAYER),
        **CLASSIFIED,
    }
    for other in others:
        found.update(other)
    return found


UNTIED: Mapping[str, Use] = {"tie_word_embeddings": FREE}


def classes(entry: str, name: str, *heads: str) -> dict[str, Built]:
    """Return what those classes of an encoder build that all have, and some others.

    How many scores a span has is said as a number of labels, and nothing but 2 works. Where no
    head unmasks tokens there is nothing to be tied. What scores the next token is what unmasks:
    it sees only what was before where is_decoder says so.
    """
    all_heads = {
        "Model": Built(entry, {"head": "bare"}, uses=UNTIED),
        "ForMaskedLM": Built(entry, {"head": "masked"}),
        "ForSequenceClassification": Built(entry, {"head": "sequences"}, True, UNTIED),
        "ForTokenClassification": Built(entry, {"head": "tokens"}, True, UNTIED),
        "ForQuestionAnswering": Built(entry, {"head": "tokens"}, True, UNTIED),
        "ForMultipleChoice": Built(entry, {"head": "sequences", "Y": "1"}, uses=UNTIED),
        "ForNextSentencePrediction": Built(entry, {"head": "sequences", "Y": "2"}, uses=UNTIED),
        "ForPreTraining": Built(entry, {"head": "pretraining"}),
        **dict.fromkeys(("ForCausalLM", "LMHeadModel"), Built(entry, {"head": "masked"})),
    }
    known = (*list(all_heads)[:5], *heads)
    return {f"{name}{head}": all_heads[head] for head in known}


POOLED = Only((False,), "what is classified is the first token, which would see only itself")


def looking_back(builds: Mapping[str, Built]) -> dict[str, Built]:
    """Return the classes of an encoder that may be a decoder: none that pools its first token."""
    return {
        name: replace(built, uses={**built.uses, "is_decoder": POOLED})
        if built.options["head"] == "sequences" else built
        for name, built in builds.items()
    }  # fmt: skip
