"""Qwen2-Audio, Audio Flamingo 3 and Voxtral: an encoder of sounds and a decoder, each its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE, SHARE
from symledger.config_keys.decoder_keys import DENSE, partly, turned
from symledger.config_keys.encoder_keys import Tensors, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import decoding, generating, inner, within
from symledger.errors import BadInput
from symledger.models.llama.config import LLAMA
from symledger.models.qwen2.config import QWEN2
from symledger.models.whisper.config import SOUND_TENSORS

ONE_SOUND = {"n_snd": "1"}
"""How many sounds a sequence has, where nothing is said."""
COMMON: Mapping[str, Use] = {
    "num_mel_bins": SizeOf("C"),
    "max_source_positions": SizeOf("S_snd"),
    "activation_function": Acting("sound_activation", learned=False),
    **dict.fromkeys(
        ("scale_embedding", "dropout", "vocab_size", "layerdrop", "encoder_layerdrop"), FREE
    ),
}  # fmt: skip
OLDER = {"d_model": "d_snd", "encoder_layers": "L_snd", "encoder_attention_heads": "h_snd",
         "encoder_ffn_dim": "f_snd"}  # fmt: skip
NEWER = {"hidden_size": "d_snd", "num_hidden_layers": "L_snd", "num_attention_heads": "h_snd",
         "intermediate_size": "f_snd"}  # fmt: skip


TOWER: Tensors = {
    name.replace("encoder.", "", 1): tuple(f"tower.{x}" for x in ours)
    for name, ours in SOUND_TENSORS.items() if name.startswith("encoder.")
}  # fmt: skip
TOWER.update({f"layer_norm.{x}": (f"tower.norm.{y}",) for x, y in (("weight", "g"), ("bias", "b"))})
ALONE: Tensors = {
    name: tuple(x.removeprefix("tower.") for x in ours) for name, ours in TOWER.items()
}  # fmt: skip


def _encoder(
    model_type: str, name: str, names: Mapping[str, str], averaged: bool = True,
    unread: tuple[str, ...] = (),
) -> Family:  # fmt: skip
    """Return what reads an encoder of sounds, by itself or as a part."""
    sized = {name: SizeOf(symbol) for name, symbol in names.items()}
    uses: Mapping[str, Use] = {**COMMON, **sized, **dict.fromkeys(unread, FREE)}
    built = Built("sound_encoder", {"averaged": BOOLS[averaged]})
    return Family(model_type, {f"{name}Encoder": built}, uses, tensors=ALONE)


def _lasting(text: Family, sound: Family) -> Rule:
    """Say how long a sequence is: the longest, or so that a sound fits."""

    def read(values: Values) -> Settings:
        longest = inner(values, "text_config", text, "max_position_embeddings")
        heard = inner(values, "audio_config", sound, "max_source_positions")
        fits = size("max_source_positions", heard) // 2 + 2
        return {"T": str(max(size("max_position_embeddings", longest), fits))}

    return Rule((), read)


def _paired(sound: Family) -> Rule:
    """Refuse positions that cannot be averaged in pairs."""

    def read(values: Values) -> Settings:
        S = size("max_source_positions", inner(values, "audio_config", sound,
                                               "max_source_positions"))  # fmt: skip
        if S % 2:
            raise BadInput(
                f"max_source_positions = {S} is not supported: pairs of positions are averaged. "
                f"Say {S + 1}."
            )
        return {}

    return Rule((), read)


INSIDE = {
    **within("model.language_model.", DENSE), **under("model.audio_tower.", "", TOWER),
    **{f"model.multi_modal_projector.linear{i}.{x}": (f"projector{j}.{y}",)
       for i, j in (("", ""), ("_1", ".1"), ("_2", ".2"))
       for x, y in (("weight", "W"), ("bias", "b"))},
}  # fmt: skip


def _joined(sound: Family) -> Rule:
    """Refuse vectors that do not fill those that they are joined to."""

    def read(values: Values) -> Settings:
        S, d, f = (size(name, inner(values, "audio_config", sound, name)) for name in (
            "max_source_positions", "hidden_size", "intermediate_size"))  # fmt: skip
        if S * d % f:
            raise BadInput(
                f"intermediate_size = {f} of audio_config does not fit: {S} vectors of hidden_size "
                f"= {d} are joined to some that are so wide, and are no whole number of them; such "
                f"a model is built, and fails where it hears. Say {4 * d}."
            )
        return {}

    return Rule((), read)


TIED: Mapping[str, Use] = {"tie_word_embeddings": FREE}
"""The head has weights of its own whatever is said (transformers 5.23.0, built and looked at)."""


def _hearing(
    model_type: str, entry: str, name: str, text: Family, sound: Family, uses: Mapping[str, Use],
    paired: bool = True,
) -> Family:  # fmt: skip
    decoder = decoding(text)
    rules = (_lasting(decoder, sound), (_paired if paired else _joined)(sound))
    return Family(
        model_type, generating(entry, name), {**TIED, "ignore_index": FREE, **uses}, rules, INSIDE,
        implied=ONE_SOUND, parts={"text_config": decoder, "audio_config": sound},
    )  # fmt: skip


QWEN2_AUDIO_ENCODER = _encoder("qwen2_audio_encoder", "Qwen2Audio", OLDER)
AUDIO_FLAMINGO_3_ENCODER = _encoder("audioflamingo3_encoder", "AudioFlamingo3", NEWER)
VOXTRAL_ENCODER = _encoder(
    "voxtral_encoder", "Voxtral", NEWER, averaged=False, unread=("head_dim", "num_key_value_heads")
)
"""The width of a head follows from the model's, and keys have as many heads, whatever is said."""
QWEN2_AUDIO = _hearing(
    "qwen2_audio", "qwen2_audio", "Qwen2Audio", QWEN2, QWEN2_AUDIO_ENCODER, {"vocab_size": FREE}
)
ACTING = {"projector_hidden_act": Acting("projector_activation", learned=False)}
AUDIO_FLAMINGO_3 = _hearing(
    "audioflamingo3", "audio_flamingo_3", "AudioFlamingo3", QWEN2,
    AUDIO_FLAMINGO_3_ENCODER,
    {**ACTING, "projector_bias": Choice("projector_bias"), "vocab_size": FREE},
)  # fmt: skip


def _timed(values: Values) -> Settings:
    """Return how much of a vector is turned by when it was heard, and refuse what fails there.

    Raises:
        BadInput: the two halves do not fit into a vector, or there are more places than angles.
    """
    said = values.get("rope_parameters") or {}
    if not isinstance(said, dict) or said.get("rope_type", "default") != "default":
        raise BadInput(
            f"rope_parameters = {written(said)} is not supported: times are told by rope_type = "
            "default here."
        )
    d, S = (size(name, inner(values, "audio_config", AUDIO_FLAMINGO_3_ENCODER, name))
            for name in ("hidden_size", "max_source_positions"))  # fmt: skip
    last = said.get("rope_theta", 1200.0)
    if isinstance(last, bool) or not isinstance(last, int | float) or last < S // 2:
        raise BadInput(
            f"rope_theta = {written(last)} of rope_parameters does not fit: angles are there for "
            f"so many places, and a sound fills {S // 2}."
        )
    half = size("d_rot", 2 * int(turned(values, SHARE, 0.2, d)["d_rot"]))
    if half > d:
        raise BadInput(
            f"{SHARE} in rope_parameters turns {half} of the {d} elements of a vector: half of "
            "them by the window and half by the place in it. Say at most 0.5."
        )
    return partly(half, d)


_heard = _hearing(
    "musicflamingo", "music_flamingo", "MusicFlamingo", QWEN2, AUDIO_FLAMINGO_3_ENCODER,
    {**AUDIO_FLAMINGO_3.uses, "rope_parameters": Ruled(), SHARE: FREE, "audio_frame_step": FREE,
     **dict.fromkeys(("max_position_embeddings", "head_dim"), FREE)},
)  # fmt: skip
MUSIC_FLAMINGO = replace(_heard, rules=(*_heard.rules, Rule((SHARE,), _timed)))
"""The last two keys are set from others, whatever the file says (transformers 5.23)."""
TEXT = replace(LLAMA, filled=True, absent={
    "vocab_size": 131072, "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 30,
    "num_key_value_heads": 8, "max_position_embeddings": 131072, "head_dim": 128,
})  # fmt: skip
"""Voxtral's own defaults of its decoder (transformers 5.23.0, configuration_voxtral.py)."""
VOXTRAL = _hearing(
    "voxtral", "voxtral", "Voxtral", TEXT, VOXTRAL_ENCODER,
    {**ACTING, **dict.fromkeys(("hidden_size", "vocab_size"), FREE)}, paired=False,
)  # fmt: skip
