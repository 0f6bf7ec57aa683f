"""Swin V2: Swin's keys, and windows that are no larger than the image is in a stage."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Settings, size
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built, Rule, Ruled, Values
from symledger.config_keys.image_keys import STAGES, Pair
from symledger.errors import BadInput
from symledger.models.swin.config import OLDER, SWIN, UNPLACED, every, tensors


def _windows(values: Values) -> Settings:
    """Return the side of the windows of each stage: as many rows as there are, if these are few."""
    image = Pair(("H", "W")).settings("image_size", values["image_size"])
    side, window = (size(x, values[x]) for x in ("patch_size", "window_size"))
    found = {}
    for i in range(STAGES):
        least = min(int(image[axis]) // side // 2**i for axis in "HW")
        if least == 0:
            raise BadInput(
                f"image_size = {values['image_size']} does not fit: nothing is left of it in stage "
                f"{i + 1}, for the class rounds halves down there."
            )
        rows = int(image["H"]) // side // 2**i
        found[f"M_{i + 1}"] = str(min(rows, window))
    return found


PLAIN = tensors("swinv2.", OLDER, "none")
SELF = "swinv2.encoder.layers.*.blocks.*.attention.self."
CORE = "windows.attention.core"

SWINV2 = replace(
    SWIN, model_type="swinv2",
    builds={
        "Swinv2ForImageClassification": Built("swinv2", {"head": "true"}, labels=True),
        "Swinv2Model": Built("swinv2", {"head": "false"}),
    },
    uses={
        **SWIN.uses,
        "window_size": Ruled(), "use_absolute_embeddings": UNPLACED,
        "pretrained_window_sizes": FREE,
    },
    rules=(*SWIN.rules[:2], Rule(("image_size", "patch_size"), _windows), SWIN.rules[-1]),
    tensors={
        **PLAIN,
        f"{SELF}logit_scale": every(f"{CORE}.s"),
        f"{SELF}continuous_position_bias_mlp.*.weight": every(f"{CORE}.1.W") + every(f"{CORE}.2.W"),
        f"{SELF}continuous_position_bias_mlp.*.bias": every(f"{CORE}.1.b"),
    },
)  # fmt: skip
"""The size of windows that it was trained with first changes coordinates, and no count."""
