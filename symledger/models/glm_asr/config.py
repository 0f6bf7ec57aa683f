"""GLM-ASR: an encoder of sounds, whose heads may share keys and values, and LLaMA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import gcd

from symledger.arguments.specs import Settings, SizeOf, Use, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE, SHARE
from symledger.config_keys.decoder_keys import DENSE, floored_width, turned
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Unless, Values
from symledger.config_keys.seeing_keys import TIED, decoding, generating, inner, within
from symledger.errors import BadInput
from symledger.models.llama.config import LLAMA

ENCODER: Mapping[str, Use] = {
    "num_mel_bins": SizeOf("C"),
    "hidden_size": SizeOf("d_snd"),
    "num_hidden_layers": SizeOf("L_snd"),
    "num_attention_heads": SizeOf("h_snd"),
    "num_key_value_heads": Unless(SizeOf("k_snd")),
    "head_dim": SizeOf("e_snd"),
    "intermediate_size": SizeOf("f_snd"),
    "max_position_embeddings": SizeOf("S_snd"),
    "hidden_act": Acting("sound_activation", learned=False),
    "rope_parameters": Ruled(),
    SHARE: FREE,
}  # fmt: skip
BLOCK: Tensors = {
    **maps(**{f"self_attn__{x.lower()}_proj": f"attention.{x}" for x in "QKVO"},
           mlp__fc1="feed_forward.1", mlp__fc2="feed_forward.2"),
    **norms(input_layernorm="norm_1", post_attention_layernorm="norm_2"),
}  # fmt: skip
TENSORS: Tensors = {
    **{f"conv{i}.{x}": (f"conv_{i}.{y}",)
       for i in (1, 2) for x, y in (("weight", "F"), ("bias", "b"))},
    **under("layers.*.", "encoder.", BLOCK), **norms(norm="norm"),
}  # fmt: skip


def _turned(values: Values) -> Settings:
    """Return how wide heads are, and how much of each is turned.

    Raises:
        BadInput: heads cannot share keys and values evenly.
    """
    kv = values["num_key_value_heads"]
    h = size("num_attention_heads", values["num_attention_heads"])
    if kv is not None and h % size("num_key_value_heads", kv):
        raise BadInput(
            f"num_key_value_heads = {kv} does not divide num_attention_heads = {h}: as many heads "
            "share the keys and values of each."
        )
    width = floored_width(values)
    uneven = values["hidden_size"] % h
    return {**({"e_snd": str(width)} if uneven else {}), **turned(values, SHARE, 0.5, width)}


GLMASR_ENCODER = Family(
    "glmasr_encoder", {"GlmAsrEncoder": Built("glm_asr_encoder")}, ENCODER,
    (Rule(("hidden_size", "num_attention_heads", "num_key_value_heads"), _turned),), TENSORS,
)  # fmt: skip


def _filled(values: Values) -> Settings:
    """Return the longest sound, longer where that would not make whole vectors of those joined."""
    S, d, f = (size(key, values[key]) for key in (
        "max_position_embeddings", "hidden_size", "intermediate_size"))  # fmt: skip
    step = f // gcd(d, f)
    return {"S_snd": str(-(-S // step) * step)}


INSIDE = replace(
    GLMASR_ENCODER, rules=(*GLMASR_ENCODER.rules, Rule(("max_position_embeddings",), _filled))
)
TEXT = replace(
    decoding(LLAMA), filled=True,
    absent={
        "vocab_size": 59264, "hidden_size": 2048, "intermediate_size": 6144,
        "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 4,
        "max_position_embeddings": 8192,
    },
)  # fmt: skip
"""What its class makes of a configuration without some of the keys (transformers 5.23)."""


def _lasting(values: Values) -> Settings:
    """Say how long a sequence is: the longest, or so that a sound fits."""
    longest = inner(values, "text_config", TEXT, "max_position_embeddings")
    heard = {key: inner(values, "audio_config", INSIDE, key) for key in (
        "max_position_embeddings", "hidden_size", "intermediate_size")}  # fmt: skip
    found = int(_filled(heard)["S_snd"]) * heard["hidden_size"] // heard["intermediate_size"]
    return {"T": str(max(size("max_position_embeddings", longest), found + 2))}


GLMASR = Family(
    "glmasr", generating("glm_asr", "GlmAsr"),
    {**TIED, "projector_hidden_act": Acting("projector_activation", learned=False),
     "vocab_size": FREE},
    (Rule((), _lasting),),
    {
        **within("model.language_model.", DENSE), **under("model.audio_tower.", "tower.", TENSORS),
        **maps(model__multi_modal_projector__linear_1="projector.1",
               model__multi_modal_projector__linear_2="projector.2"),
    },
    implied={"n_snd": "1"}, parts={"text_config": TEXT, "audio_config": INSIDE},
)  # fmt: skip
