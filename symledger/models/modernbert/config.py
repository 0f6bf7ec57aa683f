"""ModernBERT: an encoder's sizes, its window, and which parts have biases."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE, Rotary
from symledger.config_keys.decoder_keys import TIED, layers
from symledger.config_keys.encoder_keys import CLASSIFIED, maps, norms, under
from symledger.config_keys.family import Built, Context, Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import listed
from symledger.errors import BadInput

ROPE = ("rope_parameters", "rope_scaling")
BLOCKS = ("first_block", "windowed_block", "block")
WEIGHTS = {"weight": "W", "bias": "b"}
POOLED: Mapping[str, Use] = {
    "classifier_pooling": Choice("head", {"cls": "sequences", "mean": "mean"}),
}
"""What is read of a sequence: the other classes read every token."""


def _near(values: Values) -> Settings:
    """Which layers see a window, and how far it reaches on either side.

    Raises:
        BadInput: the first layer, which is none like the others, has one.
    """
    number, types = layers(values), values["layer_types"]
    period = size("global_attn_every_n_layers", values.get("global_attn_every_n_layers", 3))
    near = [i % period != 0 for i in range(number)] if types is None else listed(types, number)
    if near[0]:
        raise BadInput(
            "layer_types = ['sliding_attention', …] is not supported: the first layer, which has "
            "no norm before its attention, sees everything here."
        )
    if not any(near):
        return {"windows": "none"}
    reach = size("local_attention", values["local_attention"], 0) // 2
    return {"windows": "some", "L_w": str(sum(near)), "w_max": str(reach + 1)}


def _turned(values: Values) -> Settings:
    """Refuse parts of heads that are turned; the two kinds of layers may say what turns each."""
    for name in ROPE:
        Rotary().settings(name, values.get(name))
    return {}


def _joined(theirs: str, *ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind a map in blocks of all kinds, where several may be one."""
    return {
        f"model.layers.*.{theirs}.{x}": tuple(
            f"{block}.{part}.{y}" for block in BLOCKS for part in ours)
        for x, y in WEIGHTS.items()
    }  # fmt: skip


def _norms(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    return {
        f"model.layers.*.{theirs}.{x}": tuple(f"{block}.{ours}.{y}" for block in BLOCKS)
        for x, y in (("weight", "g"), ("bias", "b"))
    }


MODERNBERT = Family(
    "modernbert",
    {
        "ModernBertModel": Built("modernbert", {"head": "bare"}),
        "ModernBertForMaskedLM": Built("modernbert", {"head": "masked"}),
        **{
            f"ModernBertFor{task}": Built("modernbert", {"head": "tokens"}, labels=True)
            for task in ("TokenClassification", "QuestionAnswering")
        },
        "ModernBertForSequenceClassification":
            Built("modernbert", {"head": "sequences"}, True, POOLED),
        "ModernBertForMultipleChoice":
            Built("modernbert", {"head": "sequences", "Y": "1"}, uses=POOLED),
    },
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "max_position_embeddings": Context(),
        "hidden_activation": Acting(),
        "classifier_activation": Acting("head_activation"),
        "classifier_pooling": Only(("cls", "mean")),
        "attention_bias": Choice("attention_bias", BOOLS),
        "mlp_bias": Choice("mlp_bias", BOOLS),
        "norm_bias": Choice("norm_bias", BOOLS),
        "classifier_bias": Choice("map_bias", BOOLS),
        "decoder_bias": Choice("scores_bias", BOOLS),
        "tie_word_embeddings": TIED,
        **dict.fromkeys(("layer_types", "local_attention", "global_attn_every_n_layers"), Ruled()),
        **dict.fromkeys(ROPE, Ruled()),
        **dict.fromkeys((
            "initializer_cutoff_factor", "deterministic_flash_attn", "sparse_prediction",
            "sparse_pred_ignore_index", "reference_compile", "repad_logits_with_grad",
            "global_rope_theta", "local_rope_theta", "position_embedding_type",
        ), FREE),
    },
    (Rule(("num_hidden_layers",), _near), Rule((), _turned)),
    {
        "model.embeddings.tok_embeddings.weight": ("token_embedding.E", "E"),
        **under("model.", "", norms(embeddings__norm="embedding_norm", final_norm="final_norm")),
        **_joined("attn.Wqkv", *(f"attention.{x}" for x in "QKV")),
        **_joined("attn.Wo", "attention.O"),
        **_joined("mlp.Wi", "feed_forward.gate", "feed_forward.up"),
        **_joined("mlp.Wo", "feed_forward.down"),
        **_norms("attn_norm", "norm_1"),
        **_norms("mlp_norm", "norm_2"),
        **maps(head__dense="head_map"),
        **norms(head__norm="head_norm"),
        "decoder.weight": ("masked_head.W",),
        "decoder.bias": ("b",),
        **CLASSIFIED,
    },
)  # fmt: skip
"""``sparse_prediction`` scores fewer tokens only where the right ones are given with them."""
