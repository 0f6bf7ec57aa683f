"""Conformers: wav2vec 2.0's keys, and those of Parakeet."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Unless, Values
from symledger.config_keys.image_keys import UNTIED
from symledger.config_keys.sound_keys import (
    FRONT,
    HEARD_HEADS,
    HEARING,
    KERNELS,
    SOUND_WIDTHS,
    STRIDES,
    convolved,
    grouped,
    masking,
    sound_classes,
)
from symledger.errors import BadInput

PAIRS = (("weight", "W"), ("bias", "b"))
WINDOWS = "conv_depthwise_kernel_size"
FREED = ("conformer_conv_dropout", "max_source_positions", "rotary_embedding_base")


def _odd(name: str, symbol: str) -> Rule:
    """Read how long windows inside blocks are: of even length they have no middle."""

    def read(values: Values) -> Settings:
        K = size(name, values[name])
        if K % 2 == 0:
            raise BadInput(f"{name} = {K} does not fit: it has to be odd, such as {K + 1}.")
        return {symbol: str(K)}

    return Rule((), read)


def _windowed(values: Values) -> Settings:
    """Say how long windows of positions are."""
    K = size("num_conv_pos_embeddings", values["num_conv_pos_embeddings"])
    return {"K": str(K), "even": BOOLS[K % 2 == 0]}


BLOCK: Tensors = {
    **{f"ffn{i}.{theirs}_dense.{weight}": (f"feed_forward_{i}.{ours}.{w}",)
       for i in (1, 2) for theirs, ours in (("intermediate", "1"), ("output", "2"))
       for weight, w in PAIRS},
    **maps(**{f"self_attn__linear_{theirs}": f"attention.{ours}"
              for theirs, ours in (("q", "Q"), ("k", "K"), ("v", "V"), ("out", "O"))}),
    "self_attn.linear_pos.weight": ("attention.core.R.W",),
    "self_attn.pos_bias_u": ("attention.core.u",), "self_attn.pos_bias_v": ("attention.core.v",),
    "self_attn.distance_embedding.weight": ("attention.core.R",),
    **norms(ffn1_layer_norm="norm_1", self_attn_layer_norm="norm_2",
            conv_module__layer_norm="norm_3", ffn2_layer_norm="norm_4", final_layer_norm="norm_5",
            conv_module__batch_norm="near.norm", conv_module__depthwise_layer_norm="near.norm"),
    "conv_module.pointwise_conv1.weight": ("near.in.W",),
    "conv_module.depthwise_conv.weight": ("near.convolution.F",),
    "conv_module.pointwise_conv2.weight": ("near.out.W",),
}  # fmt: skip


def _tensors(model: str, front: Tensors) -> Tensors:
    inside = {**front, **under("encoder.layers.*.", "block.", BLOCK)}
    return {**under(f"{model}.", "", inside), **HEARD_HEADS}


DISTANCES = Only(("relative",), "heads would be turned before they are mapped, or told nothing")
ASIDE = "encoder.pos_conv_embed.conv."
WAV2VEC2_CONFORMER = Family(
    "wav2vec2-conformer",
    sound_classes("wav2vec2_conformer", "Wav2Vec2Conformer", frames=True),
    {
        **SOUND_WIDTHS,
        **FRONT,
        "hidden_act": Acting(learned=False),
        "feat_extract_norm": Choice("front_norm", {"group": "first", "layer": "all"}),
        "position_embeddings_type": DISTANCES,
        **dict.fromkeys(("num_conv_pos_embeddings", WINDOWS), Ruled()),
        **dict.fromkeys(FREED, FREE),
    },
    (Rule((), masking), Rule((), convolved(KERNELS, STRIDES, range(1, 8))),
     Rule(("hidden_size", "num_conv_pos_embedding_groups"), grouped), Rule((), _windowed),
     _odd(WINDOWS, "K_c")),
    _tensors("wav2vec2_conformer", {
        **HEARING,
        f"{ASIDE}bias": ("b_positions",),
        f"{ASIDE}parametrizations.weight.original0": ("g_positions",),
        f"{ASIDE}parametrizations.weight.original1": ("F_positions",),
    }),
    {"T_w": "16000"},
)  # fmt: skip


def _rows(values: Values) -> Settings:
    """Say how many distances a table has rows for: on either side, and none."""
    left, right = (
        size(name, values[name], 0)
        for name in ("left_max_position_embeddings", "right_max_position_embeddings")
    )
    return {"n_r": str(left + right + 1)}


WAV2VEC2_BERT = Family(
    "wav2vec2-bert",
    sound_classes("wav2vec2_bert", "Wav2Vec2Bert", frames=True),
    {
        **SOUND_WIDTHS,
        "hidden_act": Acting(learned=False),
        "feature_projection_input_dim": SizeOf("C_in"),
        "position_embeddings_type": Only(("relative_key",), "distances would be told otherwise"),
        "use_intermediate_ffn_before_adapter": Only((False,)),
        "adapter_act": FREE,
        **dict.fromkeys(
            ("left_max_position_embeddings", "right_max_position_embeddings", WINDOWS), Ruled()
        ),
        **dict.fromkeys(FREED, FREE),
    },
    (Rule((), masking), Rule((), _rows), _odd(WINDOWS, "K")),
    _tensors("wav2vec2_bert", {
        "masked_spec_embed": ("masked",), **norms(feature_projection__layer_norm="front_norm"),
        **maps(feature_projection__projection="projection"),
    }),
)  # fmt: skip

CONFORMED: Tensors = {
    **{f"feed_forward{i}.linear{j}.{weight}": (f"feed_forward_{i}.{j}.{w}",)
       for i in (1, 2) for j in (1, 2) for weight, w in PAIRS},
    **maps(**{f"self_attn__{x}_proj": f"attention.{x.upper()}" for x in "qkvo"},
           conv__pointwise_conv1="near.in", conv__pointwise_conv2="near.out"),
    "conv.depthwise_conv.weight": ("near.convolution.F",),
    "conv.depthwise_conv.bias": ("near.convolution.b",),
    **norms(conv__norm="near.norm", norm_feed_forward1="norm_1", norm_self_att="norm_2",
            norm_conv="norm_3", norm_feed_forward2="norm_4", norm_out="norm_5"),
}  # fmt: skip
"""What Parakeet's blocks hold, and those made like them."""
SHORTENED: Tensors = {
    **{f"subsampling.layers.*.{theirs}": (
        *(f"shorten_{i}.{conv}" for i in (1, 2, 3)), *(f"mix_{i}.{lin}" for i in (2, 3)))
       for theirs, conv, lin in (("weight", "F", "W"), ("bias", "b", "b"))},
    **maps(subsampling__linear="projection"),
    **under("layers.*.", "block.", {
        **CONFORMED, "self_attn.relative_k_proj.weight": ("attention.core.R.W",),
        "self_attn.bias_u": ("attention.core.u",), "self_attn.bias_v": ("attention.core.v",),
    }),
}  # fmt: skip


def _bands(values: Values) -> Settings:
    """Say how many bands there are, which are halved three times.

    Raises:
        BadInput: they are not divided evenly.
    """
    C = size("num_mel_bins", values["num_mel_bins"])
    if C % 8:
        raise BadInput(f"num_mel_bins = {C} is not supported: a multiple of 8 is.")
    return {"C": str(C)}


PARAKEET_ENCODER = Family(
    "parakeet_encoder",
    {"ParakeetEncoder": Built("parakeet", {"head": "bare"})},
    {
        "hidden_size": SizeOf("d"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "intermediate_size": SizeOf("d_ff"),
        "hidden_act": Acting(learned=False),
        "attention_bias": Choice("bias"),
        "convolution_bias": Choice("convolution_bias"),
        "subsampling_conv_channels": SizeOf("C_1"),
        "subsampling_factor": Only((8,)),
        "subsampling_conv_kernel_size": Only((3,)),
        "subsampling_conv_stride": Only((2,)),
        **dict.fromkeys(("num_mel_bins", "conv_kernel_size"), Ruled()),
        "num_key_value_heads": Unless(SizeOf("h_kv")),
        **dict.fromkeys(("max_position_embeddings", "scale_input", "dropout_positions"), FREE),
        **UNTIED,
    },
    (Rule((), _bands), _odd("conv_kernel_size", "K")),
    SHORTENED,
    {"T_f": "1000"},
)
"""No key says how long a spectrum is: a thousand frames."""
PARAKEET_CTC = Family(
    "parakeet_ctc",
    {"ParakeetForCTC": Built("parakeet", {"head": "letters"})},
    {"vocab_size": SizeOf("V"), "ctc_loss_reduction": FREE, "ctc_zero_infinity": FREE, **UNTIED},
    (),
    {**under("encoder.", "", SHORTENED), **maps(ctc_head="head")},
    {"T_f": "1000"},
    parts={"encoder_config": replace(PARAKEET_ENCODER, implied={})},
)
