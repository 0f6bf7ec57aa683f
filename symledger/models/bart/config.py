"""Encoder-decoders: BART and mBART, Pegasus and Marian, Whisper."""

from __future__ import annotations

from symledger.catalogue.argument_specs import Choice, Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.encoder_keys import ACTIVATIONS, Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput, shown

HEADS: Tensors = {
    "lm_head.weight": ("head.W",),
    "proj_out.weight": ("head.W",),
    **maps(classification_head__dense="pooler.map", classification_head__out_proj="classifier",
           classifier="classifier", qa_outputs="classifier"),
}  # fmt: skip


def _layers(stack: str, ours: str) -> Tensors:
    attentions = {"self_attn": "attention", "encoder_attn": "cross_attention"}
    found: Tensors = {}
    for theirs, attention in attentions.items():
        for x in ("q", "k", "v", "out"):
            name = "O" if x == "out" else x.upper()
            found.update(maps(**{f"{theirs}__{x}_proj": f"{attention}.{name}"}))
    last = "norm_3" if stack == "decoder" else "norm_2"
    found.update(maps(fc1="feed_forward.1", fc2="feed_forward.2"))
    found.update(norms(self_attn_layer_norm="norm_1", encoder_attn_layer_norm="norm_2",
                       final_layer_norm=last))  # fmt: skip
    return {
        **under(f"{stack}.layers.*.", f"{stack}.", found),
        f"{stack}.embed_positions.weight": (f"{ours}_positions.P",),
        **norms(**{f"{stack}__layernorm_embedding": f"{ours}_norm",
                   f"{stack}__layer_norm": f"{stack}_norm"}),
    }  # fmt: skip


WIDTHS = {
    "vocab_size": SizeOf("V"),
    "d_model": SizeOf("d"),
    "encoder_layers": SizeOf("L_enc"),
    "encoder_attention_heads": SizeOf("h"),
    "encoder_ffn_dim": SizeOf("d_ff"),
    "decoder_layers": SizeOf("L_dec"),
    "decoder_attention_heads": SizeOf("h_dec"),
    "decoder_ffn_dim": SizeOf("d_dec"),
    "activation_function": Choice("activation", ACTIVATIONS),
    "scale_embedding": FREE,
    "is_decoder": Only((False,)),
    "init_std": FREE,
    "encoder_layerdrop": FREE,
    "decoder_layerdrop": FREE,
    "dropout": FREE,
    "classif_dropout": FREE,
    "output_past": FREE,
}
"""The sizes of an encoder-decoder as BART's configuration names them."""

ALONE = {
    "is_decoder": FREE,
    **dict.fromkeys(
        (f"encoder_{x}" for x in ("layers", "attention_heads", "ffn_dim")), FREE
    ),
    "tie_word_embeddings": TIED,
}
"""What a decoder alone, which is given the memory that it attends to, reads otherwise.

Its file does not say how long that is: S stays open, and no number that depends on it is told until
it is set.
"""


def _alone(entry: str) -> Built:
    return Built(entry, {"head": "lm", "alone": "true"}, uses={
        **ALONE, "max_position_embeddings": SizeOf("T_max", ("T",)),
    })  # fmt: skip


BART_TENSORS: Tensors = {
    **dict.fromkeys(("shared.weight", "decoder.embed_tokens.weight"),
                    ("source_embedding.E", "token_embedding.E")),
    **_layers("encoder", "source"), **_layers("decoder", "token"),
}  # fmt: skip


def _bart(model_type: str, entry: str, name: str, post: bool) -> Family:
    return Family(
        model_type,
        {
            f"{name}ForConditionalGeneration": Built(entry, {"head": "lm"}),
            f"{name}Model": Built(entry, {"head": "bare"}),
            f"{name}ForSequenceClassification": Built(entry, {"head": "sequences"}, labels=True),
            f"{name}ForQuestionAnswering": Built(entry, {"head": "tokens", "Y": "2"}),
            f"{name}ForCausalLM": _alone(entry),
        },
        {
            **WIDTHS,
            "max_position_embeddings": SizeOf("T_max", ("T", "S")),
            "tie_word_embeddings": Only((True,)),
            "normalize_before": Only((not post,)),
            "add_final_layer_norm": Only((not post,)),
            "normalize_embedding": Only((True,)),
            "static_position_embeddings": Only((False,)),
            "add_bias_logits": Only((False,)),
            "extra_pos_embeddings": Only((2,)),
            "save_step": FREE,
            "force_bos_token_to_be_generated": FREE,
        },
        tensors={**BART_TENSORS, **under("model.", "", BART_TENSORS), **HEADS},
        classes=3 if post else 2,
    )


BART = _bart("bart", "bart", "Bart", post=True)
"""With untied tables each stack would have one of its own, beside one that nothing uses."""
MBART = _bart("mbart", "mbart", "MBart", post=False)

SINUSOIDS: Tensors = {
    **BART_TENSORS,
    "encoder.embed_positions.weight": ("P_enc",), "decoder.embed_positions.weight": ("P_dec",),
}  # fmt: skip


def _placed(model_type: str, causal: str, name: str, post: bool) -> Family:
    """A family with sinusoids, whose tables are one: with several they would not be tied."""
    return Family(
        model_type,
        {
            causal: Built(model_type, {"head": "lm"}),
            f"{name}Model": Built(model_type, {"head": "bare"}),
            f"{name}ForCausalLM": _alone(model_type),
        },
        {
            **WIDTHS,
            "max_position_embeddings": SizeOf("T_max", ("T", "S")),
            "tie_word_embeddings": Only((True,)),
            "share_encoder_decoder_embeddings": Only((True,)),
            "decoder_vocab_size": Ruled(),
            "normalize_before": Only((not post,)),
            "add_final_layer_norm": Only((not post,)),
            "normalize_embedding": Only((False,)),
            "static_position_embeddings": Only((True,)),
            "add_bias_logits": Only((False,)),
            "extra_pos_embeddings": FREE,
            "force_bos_token_to_be_generated": FREE,
        },
        rules=(Rule(("vocab_size",), _one_vocabulary),),
        tensors={**SINUSOIDS, **under("model.", "", SINUSOIDS), **HEADS},
    )


def _one_vocabulary(values: Values) -> Settings:
    """The decoder writes in the words of the encoder."""
    other = values.get("decoder_vocab_size")
    if other not in (None, values["vocab_size"]):
        raise BadInput(
            f"decoder_vocab_size = {shown(str(other))} is not supported: one vocabulary is, of "
            f"vocab_size = {shown(str(values['vocab_size']))}."
        )
    return {}


PEGASUS = _placed("pegasus", "PegasusForConditionalGeneration", "Pegasus", post=False)
MARIAN = _placed("marian", "MarianMTModel", "Marian", post=True)

WHISPER_TENSORS: Tensors = {
    **_layers("encoder", ""), **_layers("decoder", ""),
    "decoder.embed_tokens.weight": ("token_embedding.E",),
    "decoder.embed_positions.weight": ("positions.P",),
    "encoder.embed_positions.weight": ("P",),
    **{f"encoder.conv{i}.{x}": (f"conv_{i}.{y}",)
       for i in (1, 2) for x, y in (("weight", "F"), ("bias", "b"))},
    **maps(projector="projector"),
}  # fmt: skip

HEARD = {
    **dict.fromkeys(("vocab_size", "max_target_positions", "tie_word_embeddings"), FREE),
    **dict.fromkeys((f"decoder_{x}" for x in ("layers", "attention_heads", "ffn_dim")), FREE),
    "encoder_layers": SizeOf("L"),
    "classifier_proj_size": SizeOf("d_proj"),
    "use_weighted_layer_sum": Only((False,)),
}
"""What the classifier of sounds reads otherwise: nothing of the decoder. A weighted sum of what all
layers give would keep every one of them."""

WHISPER = Family(
    "whisper",
    {
        "WhisperForConditionalGeneration": Built("whisper", {"head": "lm"}),
        "WhisperModel": Built("whisper", {"head": "bare"}),
        "WhisperForCausalLM": Built(
            "whisper", {"head": "lm", "alone": "true"}, uses={
                **ALONE, "num_mel_bins": FREE, "max_source_positions": FREE,
            },
        ),
        "WhisperForAudioClassification": Built("whisper_classifier", labels=True, uses=HEARD),
    },
    {
        **WIDTHS,
        "num_mel_bins": SizeOf("C"),
        "max_source_positions": SizeOf("S"),
        "max_target_positions": SizeOf("T_max", ("T",)),
        "tie_word_embeddings": TIED,
        "median_filter_width": FREE,
        "use_weighted_layer_sum": FREE,
        "classifier_proj_size": FREE,
        "suppress_tokens": FREE,
        "begin_suppress_tokens": FREE,
        "apply_spec_augment": FREE,
        **dict.fromkeys(
            (f"mask_{x}_{y}" for x in ("time", "feature") for y in ("prob", "length", "min_masks")),
            FREE,
        ),
        "max_initial_timestamp_index": FREE, "alignment_heads": FREE, "lang_to_id": FREE,
    },
    tensors={**WHISPER_TENSORS, **under("model.", "", WHISPER_TENSORS), **HEADS},
)  # fmt: skip
"""Which sounds are masked in training, and how timestamps are found, change nothing; nor does what
is said of the classifier of sounds in the other classes."""
