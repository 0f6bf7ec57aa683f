"""Fuyu: Persimmon's configuration inside of one that says how large patches are."""

from __future__ import annotations

from symledger.arguments.specs import Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import maps
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import cut
from symledger.config_keys.seeing_keys import ONE_IMAGE, TIED, decoding, lasting, within
from symledger.models.nemotron.config import PERSIMMON

TEXT = decoding(PERSIMMON, absent={
    "vocab_size": 262144, "hidden_size": 4096, "intermediate_size": 16384,
    "num_hidden_layers": 36, "num_attention_heads": 64, "max_position_embeddings": 16384,
    "qk_layernorm": True,
})  # fmt: skip
"""What its class makes of a configuration without the part (transformers 5.23, FuyuConfig)."""


def _patches(values: Values) -> Settings:
    """Return how many patches an image has down and across, and how long a sequence is."""
    side = size("patch_size", values["patch_size"])
    found = cut("image_size", values["image_size"], side)
    return {**found, **lasting(values, TEXT, int(found["H_p"]) * int(found["W_p"]))}


FUYU = Family(
    "fuyu",
    {
        "FuyuForCausalLM": Built("fuyu", {"head": "lm"}),
        "FuyuModel": Built("fuyu", {"head": "bare"}),
    },
    {**TIED, "num_channels": SizeOf("C_in"), "patch_size": SizeOf("P"), "image_size": Ruled(),
     "initializer_range": FREE},
    (Rule((), _patches),),
    {
        **within("model.language_model.", PERSIMMON.tensors),
        **maps(model__vision_embed_tokens="patches"),
    },
    implied=ONE_IMAGE,
    parts={"text_config": TEXT},
)  # fmt: skip
