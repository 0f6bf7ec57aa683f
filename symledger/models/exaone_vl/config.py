"""EXAONE 4.5: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import SizeOf
from symledger.models.olmo.config import EXAONE4
from symledger.models.qwen_vision import config as vision
from symledger.models.qwen_vl.config import RENAMED, seeing

EXAONE45 = seeing(
    "exaone4_5", "exaone4_5", "Exaone4_5_", EXAONE4, vision.EXAONE45, EXAONE4.tensors,
    {**RENAMED, "num_key_value_heads": SizeOf("h_ki")},
    texts=(replace(EXAONE4, model_type="exaone4_5_text", like="exaone4"),),
)  # fmt: skip
