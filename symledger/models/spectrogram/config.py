"""Audio spectrogram transformer: ViT's keys, and how a spectrum is cut."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Settings, SizeOf, size
from symledger.config_keys.encoder_keys import maps, norms
from symledger.config_keys.family import Built, Rule, Values
from symledger.errors import BadInput
from symledger.models.vit.config import VIT

NAME = "audio_spectrogram_transformer"
SIDES = ("num_mel_bins", "max_length")


def _cut(values: Values) -> Settings:
    """Refuse spectra that are smaller than a patch."""
    side = size("patch_size", values["patch_size"])
    for key in SIDES:
        if size(key, values[key]) < side:
            raise BadInput(
                f"{key} = {values[key]} does not fit: no patch of patch_size = {side} is in it."
            )
    return {}


AST = replace(
    VIT, model_type="audio-spectrogram-transformer",
    builds={
        "ASTForAudioClassification": Built("spectrogram", {"head": "true"}, labels=True),
        "ASTModel": Built("spectrogram", {"head": "false"}),
    },
    uses={
        key: use for key, use in VIT.uses.items()
        if key not in ("num_channels", "image_size", "pooler_output_size", "pooler_act",
                       "encoder_stride")
    } | {
        "patch_size": SizeOf("P"), "num_mel_bins": SizeOf("C"), "max_length": SizeOf("T_f"),
        "frequency_stride": SizeOf("s_h"), "time_stride": SizeOf("s_w"),
    },
    rules=(*VIT.rules, Rule(("patch_size", *SIDES), _cut)),
    tensors={
        **{name.replace("vit.", f"{NAME}."): ours for name, ours in VIT.tensors.items()},
        f"{NAME}.embeddings.distillation_token": ("embedding.c_2",),
        f"{NAME}.embeddings.patch_embeddings.projection.weight": ("embedding.patches.F",),
        f"{NAME}.embeddings.patch_embeddings.projection.bias": ("embedding.patches.b",),
        **norms(classifier__layernorm="head_norm"), **maps(classifier__dense="head"),
        "layernorm.weight": ("head_norm.g", "final_norm.g"),
        "layernorm.bias": ("head_norm.b", "final_norm.b"),
    },
)  # fmt: skip
