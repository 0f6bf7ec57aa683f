"""wav2vec 2.0, HuBERT, UniSpeech, data2vec and SEW: the same keys, and some of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import maps, norms
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.sound_keys import (
    FRONT,
    KERNELS,
    SOUND_WIDTHS,
    STRIDES,
    convolved,
    grouped,
    hearing,
    masking,
    sound_classes,
)

FIRST: Mapping[object, str] = {"group": "first", "layer": "all"}
SECOND = {"T_w": "16000"}
"""No key says how long a sound is: a second of it, where there are 16,000 samples in one."""


def _windowed(name: str) -> Rule:
    """Say how long windows of positions are, and whether they are even."""

    def read(values: Values) -> Settings:
        K = size(name, values[name])
        return {"K": str(K), "even": BOOLS[K % 2 == 0]}

    return Rule((), read)


BESIDE = Rule(("hidden_size", "num_conv_pos_embedding_groups"), grouped)
SEVEN = Rule((), convolved(KERNELS, STRIDES, range(1, 8)))
WAV2VEC2 = Family(
    "wav2vec2",
    sound_classes("wav2vec2", "Wav2Vec2", frames=True),
    {
        **SOUND_WIDTHS,
        **FRONT,
        "num_conv_pos_embeddings": Ruled(),
        "feat_extract_norm": Choice("front_norm", FIRST),
        "do_stable_layer_norm": FREE,
        "adapter_attn_dim": Only((None,), "every layer would have an adapter"),
    },
    (Rule((), masking), SEVEN, BESIDE, _windowed("num_conv_pos_embeddings")),
    hearing("wav2vec2"),
    SECOND,
)


def _like(model_type: str, name: str, frames: bool = False) -> Family:
    return replace(
        WAV2VEC2, model_type=model_type, builds=sound_classes("wav2vec2", name, frames),
        tensors=hearing(model_type.replace("-", "_")),
    )  # fmt: skip


HUBERT = replace(
    _like("hubert", "Hubert"),
    uses={
        **WAV2VEC2.uses,
        "feat_proj_layer_norm": Choice("projected_norm"),
        "conv_pos_batch_norm": Only((False,), "a batch norm would stand before the positions"),
    },
)
UNISPEECH = _like("unispeech", "UniSpeech")
UNISPEECH_SAT = replace(
    _like("unispeech-sat", "UniSpeechSat", frames=True),
    rules=(SEVEN, BESIDE, _windowed("num_conv_pos_embeddings")),
    uses={**WAV2VEC2.uses, "mask_time_prob": FREE, "mask_feature_prob": FREE},
)
"""It has the vector that stands for what is masked, whatever is."""

DATA2VEC_AUDIO = Family(
    "data2vec-audio",
    sound_classes("data2vec_audio", "Data2VecAudio", frames=True),
    {
        **SOUND_WIDTHS,
        **FRONT,
        "num_conv_pos_embeddings": SizeOf("L_in"),
        "conv_pos_kernel_size": Ruled(),
    },
    (Rule((), masking), SEVEN, BESIDE, _windowed("conv_pos_kernel_size")),
    hearing("data2vec_audio", {
        "encoder.pos_conv_embed.layers.*.conv.weight": ("positions.convolution.F",),
        "encoder.pos_conv_embed.layers.*.conv.bias": ("positions.convolution.b",),
    }),
    SECOND,
)  # fmt: skip

SQUEEZED = [10, 3, 1, 3, 1, 3, 1, 3, 1, 2, 1, 2, 1]
APART = [5, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]
SEW = Family(
    "sew",
    sound_classes("sew", "SEW"),
    {
        **SOUND_WIDTHS,
        **FRONT,
        "num_conv_pos_embeddings": Ruled(),
        "feat_extract_norm": Choice("front_norm", FIRST),
        "squeeze_factor": SizeOf("s"),
    },
    (Rule((), masking), Rule((), convolved(SQUEEZED, APART, (1, *(2,) * 4, *(3,) * 4, *(4,) * 4))),
     BESIDE, _windowed("num_conv_pos_embeddings")),
    hearing("sew", norms(layer_norm="front_norm"), maps(
        feature_projection="projection", encoder__upsample__projection="upsample",
    )),
    SECOND,
)  # fmt: skip
