"""DeiT: ViT's keys."""

from __future__ import annotations

from dataclasses import replace

from symledger.config_keys.encoder_keys import maps
from symledger.config_keys.family import Built
from symledger.models.vit.config import VIT

BUILT = VIT.builds
DEIT = replace(
    VIT, model_type="deit",
    builds={
        "DeiTForImageClassification": Built("deit", {"head": "classes"}, labels=True),
        "DeiTForImageClassificationWithTeacher": Built("deit", {"head": "both"}, labels=True),
        "DeiTModel": Built("deit", {"head": "pooled"}),
        "DeiTForMaskedImageModeling": Built(
            "deit", {"head": "pixels"}, rules=BUILT["ViTForMaskedImageModeling"].rules
        ),
    },
    tensors={
        **{name.replace("vit.", "deit."): ours for name, ours in VIT.tensors.items()},
        "deit.embeddings.distillation_token": ("embedding.c_2",),
        **maps(cls_classifier="head", distillation_classifier="taught_head"),
    },
)  # fmt: skip
