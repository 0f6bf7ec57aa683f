"""Cohere's Compass: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Settings, written
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Rule, Values
from symledger.config_keys.seeing_keys import inner
from symledger.config_keys.window_keys import FULL, SLIDING
from symledger.errors import BadInput
from symledger.models.cohere.config import COMPASS
from symledger.models.qwen_vision import config as vision
from symledger.models.qwen_vl.config import deep, seeing

_WHOLE = seeing(
    "cohere_compass", "cohere_compass", "CohereCompass", COMPASS, vision.COHERE_COMPASS,
    deep(DENSE),
)  # fmt: skip


def _told(values: Values) -> Settings:
    """Refuse fewer layers with a window than are told more, where others have none.

    Those that are told more have one here; which of them have changes no count.

    Raises:
        BadInput: there are fewer.
    """
    said = inner(values, "text_config", _WHOLE.parts["text_config"], "layer_types")
    types = said if isinstance(said, list) else []
    read = inner(values, "vision_config", _WHOLE.parts["vision_config"], "deepstack_visual_indexes")
    if FULL in types and SLIDING in types and types.count(SLIDING) < len(read):
        raise BadInput(
            f"layer_types = {written(types)} with deepstack_visual_indexes = {written(read)} is "
            f"not supported: of layers that have a window there are fewer than {len(read)}."
        )
    return {}


COHERE_COMPASS = replace(_WHOLE, rules=(*_WHOLE.rules, Rule((), _told)))
