"""Encoder-decoders: T5 and mT5, BART and mBART, Pegasus and Marian, Whisper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symledger.arguments import BOOLS, Choice, Only, Settings, Size, written
from symledger.configurations.common import FREE
from symledger.configurations.families.encoders import (
    ACTIVATIONS,
    Tensors,
    maps,
    norms,
    under,
)  # fmt: skip
from symledger.configurations.families.shared import TIED
from symledger.configurations.family import (
    AtLeast,
    Built,
    Family,
    Rule,
    Ruled,
    Several,
    Unless,
    Values,
)  # fmt: skip
from symledger.errors import BadInput, nearest, shown


def _activation(values: Values) -> Settings:
    """The nonlinearity of the feed-forward networks, and whether they are gated."""
    name = values["feed_forward_proj"]
    kind = name.removeprefix("gated-") if isinstance(name, str) else ""
    if kind not in ACTIVATIONS:
        said = shown(name) if isinstance(name, str) else written(name)
        raise BadInput(
            f"feed_forward_proj = {said} is not supported. "
            + nearest(str(name), [f"{gate}{x}" for gate in ("", "gated-") for x in ACTIVATIONS])
        )
    gated = name != kind
    if values.get("is_gated_act", gated) is not gated:
        raise BadInput(f"is_gated_act contradicts feed_forward_proj = {shown(name)}.")
    activation = "gelu_new" if gated and kind == "gelu" else ACTIVATIONS[kind]
    return {"activation": activation, "gated": BOOLS[gated]}


def _own_head(ambiguous: Callable[[Values], bool], said: str, otherwise: str) -> Rule:
    """Return the rule of a head of which a file does not say enough.

    A file that transformers 5 wrote says of every head that it is tied to the table. Whether it
    is, is seen only beside it: where the weights of both are there, both are loaded.
    """

    def read(values: Values) -> Settings:
        name = (values.get("architectures") or ["ForConditionalGeneration"])[0]
        if name.endswith(("ForConditionalGeneration", "LMHeadModel")) and ambiguous(values):
            raise BadInput(
                f"{said} does not say whether the head has weights of its own: transformers 5 "
                "writes the same of both. Write tie_word_embeddings = false where it has, as in "
                f"all that was published so (T5 1.1, FLAN, mT5), or {otherwise} where it uses "
                "the table."
            )
        return {}

    return Rule(("tie_word_embeddings",), read)


def _t5_layer(stack: str) -> Tensors:
    attention = {x: x.upper() for x in "qkvo"}
    at = f"{stack}.block.*.layer.*."
    return {
        **{f"{at}{theirs}.{x}.weight": (f"{stack}.{ours}.{y}.W",)
           for theirs, ours in {"SelfAttention": "attention",
                                "EncDecAttention": "cross_attention"}.items()
           for x, y in attention.items()},
        f"{at}SelfAttention.relative_attention_bias.weight": (f"R_{stack[:3]}",),
        f"{at}layer_norm.weight": tuple(f"{stack}.norm_{i}.g" for i in (1, 2, 3)),
        f"{at}DenseReluDense.wi.weight": (f"{stack}.feed_forward.1.W",),
        f"{at}DenseReluDense.wi_0.weight": (f"{stack}.feed_forward.gate.W",),
        f"{at}DenseReluDense.wi_1.weight": (f"{stack}.feed_forward.up.W",),
        f"{at}DenseReluDense.wo.weight": tuple(
            f"{stack}.feed_forward.{x}.W" for x in ("2", "down")
        ),
        f"{stack}.final_layer_norm.weight": (f"{stack}_norm.g",),
    }  # fmt: skip


HEADS: Tensors = {
    "lm_head.weight": ("head.W",),
    "proj_out.weight": ("head.W",),
    **maps(classification_head__dense="pooler.map", classification_head__out_proj="classifier",
           classifier="classifier", qa_outputs="classifier"),
}  # fmt: skip
T5_TENSORS: Tensors = {
    "shared.weight": ("source_embedding.E", "token_embedding.E"),
    **_t5_layer("encoder"), **_t5_layer("decoder"),
}  # fmt: skip

T5 = Family(
    "t5",
    {
        "T5ForConditionalGeneration": Built("t5", {"head": "lm"}),
        "T5Model": Built("t5", {"head": "bare"}),
        "T5ForSequenceClassification": Built("t5", {"head": "sequences"}, labels=True),
        "T5ForQuestionAnswering": Built("t5", {"head": "tokens"}, labels=True),
        "T5EncoderModel": Built("t5_encoder", {"head": "bare"}),
        "T5ForTokenClassification": Built("t5_encoder", {"head": "tokens"}, labels=True),
        "T5WithLMHeadModel": Built("t5", {"head": "lm"}),
    },
    {
        "vocab_size": Size("V"),
        "d_model": Size("d"),
        "d_kv": Size("d_h"),
        "d_ff": Size("d_ff"),
        "num_layers": Several((Size("L"), Size("L_enc"))),
        "num_decoder_layers": Unless(Size("L_dec")),
        "num_heads": Size("h"),
        "relative_attention_num_buckets": AtLeast("n_b", least=4),
        "relative_attention_max_distance": FREE,
        "feed_forward_proj": Ruled(),
        "is_gated_act": Ruled(),
        "dense_act_fn": FREE,
        "scale_decoder_outputs": FREE,
        "tie_word_embeddings": TIED,
        "is_decoder": Only((False,)),
        "n_positions": FREE,
        "output_past": FREE,
    },
    rules=(
        Rule((), _activation),
        _own_head(
            lambda values: values.get("scale_decoder_outputs") is False
            and values.get("tie_word_embeddings") is not False,
            "scale_decoder_outputs = false without tie_word_embeddings = false",
            "leave scale_decoder_outputs out",
        ),
    ),
    tensors={**T5_TENSORS, **under("transformer.", "", T5_TENSORS), **HEADS},
    implied={"T": "512", "S": "512"},
    follows={"num_decoder_layers": "num_layers"},
)
"""Version 1.1 and FLAN have a head of their own: their configurations say tie_word_embeddings =
false. From such a configuration alone transformers 5 builds a tied head, but with the weights that
lie beside it one of its own, and that is counted here. It was trained on 512 tokens, which is what
is meant where no length is set."""

MT5 = replace(
    T5, model_type="mt5",
    builds={name.replace("T5", "MT5"): built for name, built in T5.builds.items()
            if name != "T5WithLMHeadModel"},
    rules=(
        Rule((), _activation),
        _own_head(
            lambda values: values["tie_word_embeddings"] is True,
            "an mT5 without tie_word_embeddings = false",
            "set tied=true besides",
        ),
    ),
)  # fmt: skip


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
    "vocab_size": Size("V"),
    "d_model": Size("d"),
    "encoder_layers": Size("L_enc"),
    "encoder_attention_heads": Size("h"),
    "encoder_ffn_dim": Size("d_ff"),
    "decoder_layers": Size("L_dec"),
    "decoder_attention_heads": Size("h_dec"),
    "decoder_ffn_dim": Size("d_dec"),
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

BART_TENSORS: Tensors = {
    "shared.weight": ("source_embedding.E", "token_embedding.E"),
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
        },
        {
            **WIDTHS,
            "max_position_embeddings": Size("T_max", ("T", "S")),
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
        },
        {
            **WIDTHS,
            "max_position_embeddings": Size("T_max", ("T", "S")),
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
}  # fmt: skip

WHISPER = Family(
    "whisper",
    {
        "WhisperForConditionalGeneration": Built("whisper", {"head": "lm"}),
        "WhisperModel": Built("whisper", {"head": "bare"}),
    },
    {
        **WIDTHS,
        "num_mel_bins": Size("C"),
        "max_source_positions": Size("S"),
        "max_target_positions": Size("T_max", ("T",)),
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
"""Which sounds are masked in training, how timestamps are found, and the classifier of sounds,
which is not built here, change nothing."""
