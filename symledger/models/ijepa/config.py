"""I-JEPA: ViT's keys, but for those of other heads."""

from __future__ import annotations

from dataclasses import replace

from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built
from symledger.models.vit.config import VIT

UNREAD = dict.fromkeys(("pooler_output_size", "pooler_act"), FREE)
"""Nothing is pooled by its classes (transformers 5.23)."""
IJEPA = replace(
    VIT, model_type="ijepa",
    builds={
        "IJepaForImageClassification": Built("ijepa", {"head": "classes"}, labels=True),
        "IJepaModel": Built("ijepa", {"head": "bare"}),
    },
    uses={**{key: use for key, use in VIT.uses.items() if key != "encoder_stride"}, **UNREAD},
    tensors={name.replace("vit.", "ijepa."): ours for name, ours in VIT.tensors.items()},
)  # fmt: skip
