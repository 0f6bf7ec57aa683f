"""Qwen3-ASR and the encoders of sounds of Qwen2.5-Omni and Qwen3-Omni."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Settings, SizeOf, Use, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import TIED, decoding, generating, inner, width, within
from symledger.errors import BadInput
from symledger.models.qwen3.config import QWEN3

SIZES: Mapping[str, Use] = {
    "num_mel_bins": SizeOf("C"),
    "d_model": SizeOf("d_snd"),
    "encoder_layers": SizeOf("L_snd"),
    "encoder_attention_heads": SizeOf("h_snd"),
    "encoder_ffn_dim": SizeOf("f_snd"),
    "output_dim": SizeOf("d_out"),
    "n_window": Ruled(),
    "activation_function": Acting("sound_activation", learned=False),
    **dict.fromkeys(("scale_embedding", "vocab_size", "tie_word_embeddings"), FREE),
}  # fmt: skip
LONG = 3000
"""How many frames a sound has, or more, where nothing is said: half a minute, as Whisper hears."""
THIRTEEN = 13
"""How many positions the classes take a chunk to leave, however long it is."""
LAYER: Tensors = {
    **maps(self_attn__out_proj="attention.O", fc1="feed_forward.1", fc2="feed_forward.2",
           **{f"self_attn__{x}_proj": f"attention.{x.upper()}" for x in "qkv"}),
    **norms(self_attn_layer_norm="norm_1", final_layer_norm="norm_2"),
}  # fmt: skip
TENSORS: Tensors = {
    **under("layers.*.", "encoder.", LAYER), **norms(ln_post="norm"),
    **{f"conv2d{i}.{x}": (f"shorten_{i}.{y}",)
       for i in (1, 2, 3) for x, y in (("weight", "F"), ("bias", "b"))},
    **{f"conv{i}.{x}": (f"conv_{i}.{y}",)
       for i in (1, 2) for x, y in (("weight", "F"), ("bias", "b"))},
    **maps(conv_out="projection", proj="projection", proj1="projector.1", proj2="projector.2"),
    "audio_bos_eos_token.weight": ("E_ends",),
}  # fmt: skip


def _placed(name: str, values: Values, positions: int) -> None:
    """Refuse chunks that leave more positions than there are places."""
    if size(name, values[name]) < positions:
        raise BadInput(
            f"{name} = {values[name]} does not fit n_window = {values['n_window']}: a chunk leaves "
            f"{positions} positions. Say at least as many."
        )


def _chunked(name: str) -> Rule:
    """Return the rule of chunks, several of which a window holds; ``name`` is the key of places."""

    def read(values: Values) -> Settings:
        head_width(values, "d_model", "encoder_attention_heads")
        half, seen = (size(key, values[key]) for key in ("n_window", "n_window_infer"))
        left = -(-2 * half // 8)
        if left != THIRTEEN:
            raise BadInput(
                f"n_window = {half} is not supported: a chunk of {2 * half} frames leaves {left} "
                f"positions, and its class takes it to leave {THIRTEEN}. Say 50."
            )
        _placed(name, values, left)
        window = seen // (2 * half)
        if not window:
            raise BadInput(f"n_window_infer = {seen} is less than a chunk, {2 * half} frames.")
        return {
            "Q_f": str(2 * half),
            "n_cw": str(window),
            "n_win": str(-(-LONG // (2 * half * window))),
        }

    return Rule(("d_model", "encoder_attention_heads", name), read)


SHORTENED: Mapping[str, Use] = {
    **SIZES, "n_window_infer": Ruled(), "downsample_hidden_size": SizeOf("C_1"),
    **dict.fromkeys(("max_position_embeddings", "max_source_positions", "conv_chunksize"), FREE),
}  # fmt: skip


def _alone(values: Values) -> Settings:
    """Return the chunks of Qwen2.5-Omni, each a window."""
    head_width(values, "d_model", "encoder_attention_heads")
    half = size("n_window", values["n_window"])
    _placed("max_source_positions", values, half)
    if half % 2:
        raise BadInput(
            f"n_window = {half} is not supported: positions of a chunk are averaged in pairs here. "
            f"Say {half + 1}."
        )
    return {"Q_f": str(2 * half), "n_win": str(-(-LONG // (2 * half)))}


QWEN3_ASR_ENCODER = Family(
    "qwen3_asr_encoder",
    {"Qwen3ASREncoder": Built("qwen3_sound_encoder", {"projected": "false"})},
    {**SHORTENED, "output_dim": FREE}, (_chunked("max_position_embeddings"),), TENSORS,
)  # fmt: skip
QWEN3_OMNI_ENCODER = Family(
    "qwen3_omni_moe_audio_encoder",
    {"Qwen3OmniMoeAudioEncoder": Built("qwen3_sound_encoder", {"projected": "true"})},
    SHORTENED, (_chunked("max_source_positions"),), TENSORS,
)  # fmt: skip
QWEN25_OMNI_ENCODER = Family(
    "qwen2_5_omni_audio_encoder", {"Qwen2_5OmniAudioEncoder": Built("qwen2_5_sound_encoder")},
    {**SIZES, "max_source_positions": FREE},
    (Rule(("d_model", "encoder_attention_heads", "max_source_positions"), _alone),), TENSORS,
)  # fmt: skip
TEXT = decoding(QWEN3, absent={
    "hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28,
    "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
    "max_position_embeddings": 65536,
})  # fmt: skip
"""What its class makes of a configuration without a part (transformers 5.23, Qwen3ASRConfig)."""


def fitting(values: Values, text: Family, sound: Family) -> None:
    """Refuse vectors of sounds that are not as wide as words, among which they stand."""
    d = width(values, "text_config", text, "hidden_size")
    given = width(values, "audio_config", sound, "output_dim")
    if given != d:
        raise BadInput(
            f"audio_config.output_dim = {given} does not fit text_config.hidden_size = {d}: what "
            f"is heard stands in the sequence among words. Say output_dim = {d}."
        )


def heard(values: Values, sound: Family) -> int:
    """Return how many positions a sound fills where nothing is said of its length."""
    keys = ("n_window", "n_window_infer")
    half, seen = (size(k, inner(values, "audio_config", sound, k)) for k in keys)
    chunks = seen // (2 * half)
    return -(-LONG // (2 * half * chunks)) * chunks * THIRTEEN if chunks else 0


def _lasting(values: Values) -> Settings:
    """Say how long a sequence is: the longest, or so that a sound fits."""
    fitting(values, TEXT, QWEN3_ASR_ENCODER)
    longest = inner(values, "text_config", TEXT, "max_position_embeddings")
    least = heard(values, QWEN3_ASR_ENCODER) + 2
    return {"T": str(max(size("max_position_embeddings", longest), least))}


QWEN3_OMNI_INSIDE, QWEN25_OMNI_INSIDE = (
    replace(family, uses={**family.uses, "output_dim": FREE}, implied={})
    for family in (QWEN3_OMNI_ENCODER, QWEN25_OMNI_ENCODER)
)
"""The same inside of a whole, whose width it is that they give."""
QWEN3_ASR = Family(
    "qwen3_asr", generating("qwen3_asr", "Qwen3ASR"),
    {**TIED, **dict.fromkeys(("token_classification_bias", "vocab_size"), FREE)},
    (Rule((), _lasting),),
    {
        **within("model.language_model.", DENSE), **under("model.audio_tower.", "tower.", TENSORS),
        **maps(model__multi_modal_projector__linear_1="projector.1",
               model__multi_modal_projector__linear_2="projector.2"),
    },
    implied={"n_snd": "1"}, parts={"text_config": TEXT, "audio_config": QWEN3_ASR_ENCODER},
)  # fmt: skip
