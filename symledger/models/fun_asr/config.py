"""Fun-ASR-Nano: an encoder of sounds, an adaptor and Qwen3, each its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symledger.arguments.specs import Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE, known
from symledger.config_keys.decoder_keys import DENSE, head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import TIED, decoding, generating, inner, within
from symledger.errors import BadInput, shown
from symledger.models.qwen3.config import QWEN3

LONG = 500
"""How many vectors a sound has where nothing is said: half a minute, six frames for each."""
KEYS: Mapping[str, Use] = {
    "num_mel_bins": Ruled(),
    "num_stacked_frames": Ruled(),
    "hidden_size": SizeOf("d_snd"),
    "num_attention_heads": SizeOf("h_snd"),
    "intermediate_size": SizeOf("f_snd"),
    "num_hidden_layers": Ruled(),
    "num_timestamp_prediction_layers": Ruled(),
    "fsmn_kernel_size": SizeOf("K"),
    "hidden_act": Acting("sound_activation", learned=False),
    "max_position_embeddings": FREE,
}  # fmt: skip
BLOCK: Tensors = {
    **maps(**{f"self_attn__{x.lower()}_proj": f"attention.{x}" for x in "QKVO"},
           mlp__fc1="feed_forward.1", mlp__fc2="feed_forward.2"),
    **norms(input_layernorm="norm_1", post_attention_layernorm="norm_2"),
}  # fmt: skip
MEMORY: Tensors = {**BLOCK, "self_attn.fsmn.conv.weight": ("attention.memory.F",)}
TENSORS: Tensors = {
    **{f"layers.*.{name}": tuple(f"{kind}.{x}" for kind in ("first_block", "encoder", "last_block")
                                 for x in ours)
       for name, ours in MEMORY.items()},
    **{f"layers.*.final_layernorm.{x}": (f"encoder_norm.{y}", f"norm.{y}")
       for x, y in (("weight", "g"), ("bias", "b"))},
}  # fmt: skip


def _heard(values: Values) -> Settings:
    """Return how wide frames that are joined are, and how many blocks come before the inner norm.

    Raises:
        BadInput: their width is odd, or that of the blocks, or there are no places.
    """
    head_width(values)
    bands, joined = (size(k, values[k]) for k in ("num_mel_bins", "num_stacked_frames"))
    d_in = bands * joined
    if d_in % 2 or d_in == values["hidden_size"]:
        raise BadInput(
            f"num_mel_bins = {bands} with num_stacked_frames = {joined} is not supported: {d_in} "
            "numbers enter, which have to be even and other than hidden_size, so that the first "
            "block has no sum around its attention."
        )
    layers = size("num_hidden_layers", values["num_hidden_layers"])
    last = size("num_timestamp_prediction_layers", values["num_timestamp_prediction_layers"], 0)
    places = size("max_position_embeddings", values["max_position_embeddings"], 2) - 1
    found = {"d_in": str(d_in), "T": str(min(LONG, places))}
    if not 0 < last < layers:
        return {**found, "L_snd": str(layers), "timed": "false"}
    return {**found, "L_snd": str(layers - last), "L_ts": str(last), "timed": "true"}


READ = ("hidden_size", "num_attention_heads", "max_position_embeddings")
FUN_ASR_ENCODER = Family(
    "fun_asr_nano_encoder", {"FunAsrNanoEncoder": Built("fun_asr_encoder")}, KEYS,
    (Rule(READ, _heard),), TENSORS,
)  # fmt: skip


def _inside(values: Values) -> Settings:
    """Return the same inside of a whole, whose length is another one."""
    found = _heard(values)
    return {"S_snd": found.pop("T"), **found}


INSIDE = replace(FUN_ASR_ENCODER, rules=(Rule(READ, _inside),))
TEXT = decoding(QWEN3, absent={
    "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28,
    "num_attention_heads": 16, "num_key_value_heads": 8, "max_position_embeddings": 40960,
})  # fmt: skip
"""What its class makes of a configuration without a part (transformers 5.23, FunAsrNanoConfig)."""


UNSAID: Mapping[str, Any] = {
    "hidden_size": 1024, "num_attention_heads": 8, "intermediate_size": 256,
    "num_hidden_layers": 2, "projector_hidden_size": 2048, "hidden_act": "relu",
    "projector_hidden_act": "relu",
}  # fmt: skip
"""What is meant where it is not said (transformers 5.23, ``FunAsrNanoAdaptorConfig``)."""
ADAPTOR: Mapping[str, Use] = {
    "num_attention_heads": SizeOf("h_apt"),
    "intermediate_size": SizeOf("f_apt"),
    "num_hidden_layers": SizeOf("L_apt"),
    "projector_hidden_size": SizeOf("f_prj"),
    "hidden_act": Acting("adaptor_activation", learned=False),
    "projector_hidden_act": Acting("projector_activation", learned=False),
}  # fmt: skip


def _adapted(values: Values) -> Settings:
    """Read what is said of the adaptor.

    Raises:
        BadInput: it is no object, holds a key that is not understood, or its class refuses it.
    """
    said = values["adaptor_config"]
    if not isinstance(said, dict | None):
        raise BadInput(f"adaptor_config = {written(said)} does not fit: an object is meant.")
    for key, value in (said or {}).items():
        if key not in UNSAID and not known(key) and value is not None:
            raise BadInput(
                f"the key {shown(key)} = {written(value)} in adaptor_config is not understood, and "
                "may change what is counted. If it changes nothing, leave it out."
            )
    meant = {**UNSAID, **(said or {})}
    found: Settings = {}
    for key, use in ADAPTOR.items():
        found.update(use.settings(f"adaptor_config.{key}", meant[key]))
    d = size("hidden_size", inner(values, "text_config", TEXT, "hidden_size"))
    for key, fits in (("hidden_size", d), ("intermediate_size", d // 4)):
        if meant[key] != fits:
            raise BadInput(
                f"adaptor_config.{key} = {written(meant[key])} does not fit text_config.hidden_size"
                f" = {d}: its class refuses it. Say {fits}."
            )
    head_width(meant)
    longest = inner(values, "text_config", TEXT, "max_position_embeddings")
    return {**found, "T": str(max(size("max_position_embeddings", longest), LONG + 2))}


FUN_ASR = Family(
    "fun_asr_nano", generating("fun_asr", "FunAsrNano"),
    {**TIED, "adaptor_config": Ruled(), "vocab_size": FREE},
    (Rule((), _adapted),),
    {
        **within("model.language_model.", DENSE), **under("model.audio_tower.", "tower.", TENSORS),
        **maps(model__multi_modal_projector__linear_1="projector.1",
               model__multi_modal_projector__linear_2="projector.2"),
        **under("model.multi_modal_projector.layers.*.", "adaptor.", BLOCK),
    },
    implied={"n_snd": "1"},
    parts={"text_config": TEXT, "audio_config": INSIDE},
)  # fmt: skip
