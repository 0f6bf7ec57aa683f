"""Voxtral Realtime: an encoder of sounds that come, and Mistral told a delay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symledger.arguments.specs import Settings, SizeOf, Use
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, FLOORED, LLAMA_KEYS
from symledger.config_keys.encoder_keys import Tensors, maps, under
from symledger.config_keys.family import Built, Family
from symledger.config_keys.seeing_keys import TIED, decoding, generating, within
from symledger.config_keys.window_keys import ONE, windows


@dataclass(frozen=True)
class Idle(Acting):
    """The name of an activation that is held, and used by nothing."""

    def settings(self, name: str, value: object) -> Settings:
        """Refuse one with weights; nothing is set."""
        super().settings(name, value)
        return {}


KEYS: Mapping[str, Use] = {
    "num_mel_bins": SizeOf("C"),
    "hidden_size": SizeOf("d_snd"),
    "num_hidden_layers": SizeOf("L_snd"),
    "num_attention_heads": SizeOf("h_snd"),
    "head_dim": SizeOf("e_snd"),
    "intermediate_size": SizeOf("f_snd"),
    "sliding_window": SizeOf("w_smx"),
    "max_position_embeddings": SizeOf("S_snd"),
    "hidden_act": Acting("sound_activation", learned=False),
    "activation_function": Idle("sound_activation", learned=False),
    "vocab_size": FREE,
}  # fmt: skip
TENSORS: Tensors = {
    **{f"embedder.conv{i}.{x}": (f"conv_{i}.{y}",)
       for i in (1, 2) for x, y in (("weight", "F"), ("bias", "b"))},
    **under("layers.*.", "encoder.", {
        **maps(**{f"self_attn__{x.lower()}_proj": f"attention.{x}" for x in "QKVO"},
               **{f"mlp__{x}_proj": f"feed_forward.{x}" for x in ("gate", "up", "down")}),
        "self_attn_layer_norm.weight": ("norm_1.g",), "final_layer_norm.weight": ("norm_2.g",),
    }),
    "norm.weight": ("norm.g",),
}  # fmt: skip
ENCODER = Family(
    "voxtral_realtime_encoder", {"VoxtralRealtimeEncoder": Built("voxtral_realtime_encoder")},
    KEYS, (), TENSORS,
)  # fmt: skip
RANK = {"d_r": "32"}
"""The rank of the maps of a delay (transformers 5.23, ``VoxtralRealtimeTextAdaRmsNorm``)."""
DELAYED = {
    **{name: tuple(o.replace("feed_forward.", "feed_forward.gated.") for o in ours)
       for name, ours in DENSE.items()},
    **{f"model.layers.*.ada_rms_norm.linear{i}.weight": (f"block.feed_forward.delay_{i}.W",)
       for i in (1, 2)},
}  # fmt: skip
TEXT = Family(
    "voxtral_realtime_text",
    {"VoxtralRealtimeTextModel": Built("delayed_mistral", {"head": "bare"})},
    {**LLAMA_KEYS, **ONE}, (FLOORED, *windows()),
    {name.removeprefix("model."): ours for name, ours in DELAYED.items()}, implied=RANK,
)  # fmt: skip
INNER = replace(
    decoding(TEXT), filled=True,
    absent={
        "vocab_size": 131072, "hidden_size": 3072, "intermediate_size": 9216,
        "num_hidden_layers": 26, "num_attention_heads": 32, "num_key_value_heads": 8,
        "head_dim": 128, "sliding_window": 8192, "max_position_embeddings": 131072,
    },
)  # fmt: skip
"""What its class makes of a configuration without some of the keys (transformers 5.23)."""
LENGTH = {"T": "4096"}
"""How many tokens are written where nothing is said: one each 80 ms, for five minutes and more."""
VOXTRAL_REALTIME = Family(
    "voxtral_realtime", generating("voxtral_realtime", "VoxtralRealtime"),
    {
        **TIED,
        "projector_hidden_act": Acting("projector_activation", learned=False),
        "downsample_factor": SizeOf("g_snd"),
        **dict.fromkeys((
            "audio_length_per_tok", "default_num_delay_tokens", "hidden_size", "vocab_size",
        ), FREE),
    },
    (),
    {
        **within("model.language_model.", DELAYED),
        **under("model.audio_tower.", "tower.", TENSORS),
        "model.multi_modal_projector.linear_1.weight": ("projector.1.W",),
        "model.multi_modal_projector.linear_2.weight": ("projector.2.W",),
    },
    implied=LENGTH,
    parts={
        "text_config": INNER,
        "audio_config": replace(
            ENCODER, uses={**ENCODER.uses, "max_position_embeddings": FREE}
        ),
    },
)  # fmt: skip
