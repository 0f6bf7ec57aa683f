"""ModernBERT as a decoder: its encoder's keys, and windows to one side."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DIVIDED, TIED, layers
from symledger.config_keys.encoder_keys import maps, norms
from symledger.config_keys.family import Built, Context, Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import listed
from symledger.errors import BadInput

BLOCKS = ("first_block", "windowed_block", "block")
WEIGHTS = {"weight": "W", "bias": "b"}


def _near(values: Values) -> Settings:
    """Which layers look back at a window only, and how far: half of what is said.

    A ``sliding_window`` beside it is believed.

    Raises:
        BadInput: the first layer, which is none like the others, does, or it is no window.
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
    own, reach = values.get("sliding_window"), values["local_attention"]
    if own is not None:
        longest = size("sliding_window", own)
    elif reach is None or size("local_attention", reach) == 1:
        raise BadInput(
            f"local_attention = {written(reach)} does not fit: half of it is how many positions "
            "layers with a window see. Choose 2 or more."
        )
    else:
        longest = reach // 2
    return {"windows": "some", "L_w": str(sum(near)), "w_max": str(longest)}


def _joined(theirs: str, *ours: str) -> dict[str, tuple[str, ...]]:
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


MODERNBERT_DECODER = Family(
    "modernbert-decoder",
    {"ModernBertDecoderForCausalLM": Built("modernbert_decoder", {"head": "lm"}),
     "ModernBertDecoderModel": Built("modernbert_decoder", {"head": "bare"})},
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "max_position_embeddings": Context(),
        "hidden_activation": Acting(),
        "classifier_activation": Acting("head_activation"),
        "attention_bias": Choice("attention_bias", BOOLS),
        "mlp_bias": Choice("mlp_bias", BOOLS),
        "norm_bias": Choice("norm_bias", BOOLS),
        "classifier_bias": Choice("map_bias", BOOLS),
        "decoder_bias": Choice("scores_bias", BOOLS),
        "tie_word_embeddings": TIED,
        **dict.fromkeys(("layer_types", "local_attention", "global_attn_every_n_layers",
                         "sliding_window"), Ruled()),
        **dict.fromkeys((
            "initializer_cutoff_factor", "deterministic_flash_attn", "sparse_prediction",
            "sparse_pred_ignore_index", "reference_compile", "repad_logits_with_grad",
            "global_rope_theta", "local_rope_theta", "position_embedding_type",
            "classifier_pooling",
        ), FREE),
    },
    (DIVIDED, Rule(("num_hidden_layers",), _near)),
    {
        "model.embeddings.tok_embeddings.weight": ("token_embedding.E", "E"),
        **norms(model__embeddings__norm="embedding_norm", model__final_norm="final_norm"),
        **{k: v for x in "QKV" for k, v in
           _joined(f"attn.{x.lower()}_proj", f"attention.{x}").items()},
        **_joined("attn.Wo", "attention.O"),
        **_joined("mlp.Wi", "feed_forward.gate", "feed_forward.up"),
        **_joined("mlp.Wo", "feed_forward.down"),
        **_norms("attn_norm", "norm_1"),
        **_norms("mlp_norm", "norm_2"),
        **maps(lm_head__dense="map"),
        **norms(lm_head__norm="head_norm"),
        "decoder.weight": ("head.W",),
        "decoder.bias": ("b",),
    },
)  # fmt: skip
"""A window is half of what is said of it, unless sliding_window says it as it is."""
