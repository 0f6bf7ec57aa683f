"""WavLM: wav2vec 2.0's keys, and those of its distances."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.sound_keys import hearing, sound_classes
from symledger.models.wav2vec2.config import WAV2VEC2

LAYERS = "encoder.layers.*.attention."
WAVLM = replace(
    WAV2VEC2,
    model_type="wavlm",
    builds=sound_classes("wavlm", "WavLM", frames=True),
    uses={
        **{name: use for name, use in WAV2VEC2.uses.items() if name != "adapter_attn_dim"},
        "num_buckets": SizeOf("n_b"),
        "max_bucket_distance": FREE,
    },
    tensors=hearing("wavlm", {
        f"{LAYERS}gru_rel_pos_const": ("block.attention.c",),
        f"{LAYERS}gru_rel_pos_linear.weight": ("block.attention.gate.W",),
        f"{LAYERS}gru_rel_pos_linear.bias": ("block.attention.gate.b",),
        f"{LAYERS}rel_attn_embed.weight": ("R",),
    }),
)
