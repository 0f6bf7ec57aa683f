"""DeepSeek-VL: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Family, Rule
from symledger.config_keys.seeing_keys import ONE_IMAGE, TIED, decoding, generating, grid, within
from symledger.models.gemma_vision.config import VISION
from symledger.models.llama.config import LLAMA
from symledger.models.siglip.config import image

TEXT = decoding(LLAMA)
DEEPSEEK_VL = Family(
    "deepseek_vl",
    generating("deepseek_vl", "DeepseekVL"),
    TIED,
    (Rule((), lambda values: grid(values, TEXT, VISION)),),
    {
        **within("model.language_model.", DENSE), **image("model.vision_model.", "tower."),
        **{f"model.aligner.linear{i}.{said}": (f"projector.{i}.{letter}",)
           for i in (1, 2) for said, letter in (("weight", "W"), ("bias", "b"))},
    },
    implied=ONE_IMAGE,
    parts={"text_config": TEXT, "vision_config": VISION},
)  # fmt: skip
