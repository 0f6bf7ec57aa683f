"""Qwen 1.5 to 2.5: LLaMA's keys, and a window that can be switched off."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, FLOORED, LLAMA_KEYS, heads
from symledger.config_keys.family import Built, Family
from symledger.config_keys.window_keys import SWITCHED, from_layer_on, windows

QWEN2 = Family(
    "qwen2",
    heads("qwen2", "Qwen2"),
    {**LLAMA_KEYS, "use_mrope": Only((False,)), **SWITCHED},
    (FLOORED, *windows(from_layer_on, switched=True)),
    DENSE,
)


def _beside_images(model_type: str, name: str) -> Family:
    """Return the decoder of a model that sees: Qwen2 with positions in three directions."""
    return replace(
        QWEN2, model_type=model_type, builds={name: Built("qwen2", {"head": "bare"})},
        uses={**QWEN2.uses, "use_mrope": FREE},
    )  # fmt: skip


QWEN2_VL = _beside_images("qwen2_vl_text", "Qwen2VLTextModel")
QWEN25_VL = _beside_images("qwen2_5_vl_text", "Qwen2_5_VLTextModel")
QWEN25_OMNI = _beside_images("qwen2_5_omni_text", "Qwen2_5OmniThinkerTextModel")
