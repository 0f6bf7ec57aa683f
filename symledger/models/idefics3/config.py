"""Idefics3 and SmolVLM: the same architecture under two names."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Family, Rule, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    TOWER,
    decoding,
    generating,
    grid,
    inner,
    within,
)
from symledger.models.llama.config import LLAMA
from symledger.models.siglip import config as siglip
from symledger.models.siglip.config import IMAGE, image

SIGLIP = replace(IMAGE, uses={**IMAGE.uses, **TOWER})
"""How an encoder is read that is SigLIP's, but for its last part."""
UNREAD_TEXT = dict.fromkeys((
    "neftune_noise_alpha", "pixel_shuffle_factor", "qk_layer_norms", "rope_interleaved",
    "use_resampler", "perceiver_config",
), FREE)  # fmt: skip
UNREAD_IMAGE = dict.fromkeys(("max_image_size", "size", "use_base_siglip"), FREE)
"""What published files say besides, and the classes do not read (transformers 5.23)."""


def seeing(model_type: str, name: str, encoder: Family) -> Family:
    """Return the family of that name."""
    text = decoding(replace(LLAMA, uses={**LLAMA.uses, **UNREAD_TEXT}))
    vision = replace(encoder, uses={**encoder.uses, **TOWER, **UNREAD_IMAGE})

    def cut(values: Values) -> Settings:
        side = size("scale_factor", values["scale_factor"])
        size("vision_config.image_size", inner(values, "vision_config", vision, "image_size"))
        return {"g": str(side), **grid(values, text, vision, "g", side, "scale_factor")}

    return Family(
        model_type,
        generating("idefics3", name),
        {
            **TIED, "scale_factor": SizeOf("g"),
            **dict.fromkeys(("image_seq_len", "vocab_size", "use_reentrant_checkpointing"), FREE),
        },
        (Rule((), cut),),
        {
            **within("model.text_model.", DENSE),
            **{theirs: ours for theirs, ours in image("model.vision_model.", "tower.").items()
               if ".head." not in theirs},
            "model.connector.modality_projection.proj.weight": ("projector.W",),
        },
        implied=ONE_IMAGE,
        parts={"text_config": text, "vision_config": vision},
    )  # fmt: skip


IDEFICS3 = seeing("idefics3", "Idefics3", siglip.IDEFICS3)
SMOLVLM = seeing("smolvlm", "SmolVLM", siglip.SMOLVLM)
