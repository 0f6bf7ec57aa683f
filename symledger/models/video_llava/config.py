"""Video-LLaVA: two encoders of the same configuration, and a decoder's."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Settings
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Rule, Values
from symledger.config_keys.seeing_keys import generating, grid, lasting, read_layer
from symledger.models.llava.config import LLAVA, TEXT, unread
from symledger.models.llava.config import VISION as CLIP

FRAMES = 8
"""Of a film, where nothing is said: as many as its processor takes."""
VISION = replace(CLIP, absent={**CLIP.absent, "image_size": 224})


def _watched(values: Values) -> Settings:
    """Return how many patches an image has, and a sequence that an image and a film fit in."""
    cut = grid(values, TEXT, VISION)
    patches = int(cut["H_p"]) * int(cut["W_p"])
    return {**cut, **lasting(values, TEXT, (FRAMES + 1) * (patches + 1))}


VIDEO_LLAVA = replace(
    LLAVA, model_type="video_llava", builds=generating("video_llava", "VideoLlava"),
    uses={**LLAVA.uses, "video_seq_length": FREE},
    rules=(Rule((), _watched), Rule((), lambda values: read_layer(values, VISION))),
    tensors={
        **{name: ours for name, ours in LLAVA.tensors.items() if "vision_tower" not in name},
        **unread("model.image_tower.", "tower."), **unread("model.video_tower.", "film_tower."),
    },
    implied={**LLAVA.implied, "N_f": str(FRAMES)},
    parts={"text_config": TEXT, "vision_config": VISION},
)  # fmt: skip
