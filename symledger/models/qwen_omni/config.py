"""The thinkers of Qwen2.5-Omni and Qwen3-Omni: a decoder, an encoder of images, one of sounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symledger.arguments.specs import Settings, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, SPARSE
from symledger.config_keys.encoder_keys import Tensors, under
from symledger.config_keys.family import Family, Rule, Values
from symledger.config_keys.seeing_keys import TIED, decoding, generating, inner, width, within
from symledger.errors import BadInput
from symledger.models.qwen2 import config as qwen2
from symledger.models.qwen_moe import config as qwen_moe
from symledger.models.qwen_sound import config as sounds
from symledger.models.qwen_vision import config as vision
from symledger.models.qwen_vl.config import RENAMED, TOKENS, deep, seeing_part

OUTER = (
    "position_id_per_seconds", "seconds_per_chunk", "audio_token_index", "image_token_index",
    "video_token_index", "vocab_size",
)  # fmt: skip


def _thinker(
    model_type: str, entry: str, name: str, text: Family, encoder: Family, sound: Family,
    tensors: Mapping[str, tuple[str, ...]], fills: Callable[[Values], int], image: Tensors,
) -> Family:  # fmt: skip
    """Return what reads a thinker.

    ``fills`` says how many positions a sound does, ``image`` what the encoder of images holds.
    """
    text, seen = decoding(text), seeing_part(encoder, RENAMED, encoder.model_type)

    def fitting(values: Values) -> Settings:
        d = width(values, "text_config", text, "hidden_size")
        given = width(values, "vision_config", seen, "out_hidden_size")
        if given != d:
            raise BadInput(
                f"vision_config.out_hidden_size = {given} does not fit text_config.hidden_size = "
                f"{d}: what is seen stands in the sequence among words. Say out_hidden_size = {d}."
            )
        sounds.fitting(values, text, sound)
        longest = inner(values, "text_config", text, "max_position_embeddings")
        windows = inner(values, "vision_config", seen, "window_size")
        least = TOKENS[windows is not None] + fills(values) + 2
        return {"T": str(max(size("max_position_embeddings", longest), least))}

    return Family(
        model_type, generating(entry, f"{name}Thinker"), {**TIED, **dict.fromkeys(OUTER, FREE)},
        (Rule((), fitting),),
        {
            **within("model.language_model.", tensors), **under("model.visual.", "tower.", image),
            **under("model.audio_tower.", "ear.", sounds.TENSORS),
        },
        implied={"n_img": "1", "n_snd": "1", **vision.IMAGE, **text.implied},
        parts={"text_config": text, "vision_config": seen, "audio_config": sound},
    )  # fmt: skip


def _chunks(values: Values) -> int:
    """Return how many positions a sound fills where nothing is said of its length."""
    key = "n_window"
    frames = 2 * size(key, inner(values, "audio_config", sounds.QWEN25_OMNI_ENCODER, key))
    return -(-sounds.LONG // frames) * frames // 4


def _windows(values: Values) -> int:
    """Return the same where a window has several chunks."""
    return sounds.heard(values, sounds.QWEN3_OMNI_ENCODER)


QWEN25_OMNI = _thinker(
    "qwen2_5_omni_thinker", "qwen2_5_omni", "Qwen2_5Omni", qwen2.QWEN25_OMNI, vision.QWEN25_OMNI,
    sounds.QWEN25_OMNI_INSIDE, DENSE, _chunks, dict(vision.QWEN25_OMNI.tensors),
)  # fmt: skip
QWEN3_OMNI = _thinker(
    "qwen3_omni_moe_thinker", "qwen3_omni", "Qwen3OmniMoe", qwen_moe.QWEN3_OMNI_MOE,
    vision.QWEN3_OMNI, sounds.QWEN3_OMNI_INSIDE, deep(SPARSE), _windows,
    dict(vision.QWEN3_OMNI.tensors),
)  # fmt: skip
