"""Canary: Parakeet's encoder inside, and a decoder, each with its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED
from symledger.errors import BadInput
from symledger.models.conformer.config import PARAKEET_ENCODER, SHORTENED

LENGTHS = {"T_f": "1000", "T_u": "50"}
"""No key says how long a spectrum is, or what is written: a thousand frames, and fifty words."""
DEEP: Mapping[str, Any] = {"num_hidden_layers": 32, "num_mel_bins": 128, "scale_input": False}
"""What the class builds where nothing is said of what hears."""


def _heads(values: Values) -> Settings:
    """Refuse heads that do not divide the width, and groups that do not divide them."""
    sizes = ("hidden_size", "num_attention_heads", "num_key_value_heads")
    given = {key: size(key, values[key]) for key in sizes}
    head_width(given)
    heads, groups = given["num_attention_heads"], given["num_key_value_heads"]
    if heads % groups:
        raise BadInput(
            f"num_key_value_heads = {groups} does not fit: it does not divide "
            f"num_attention_heads = {heads}."
        )
    return {"k_dec": str(groups)}


def _fitting(values: Values) -> Settings:
    """Refuse parts of different widths or vocabularies, as the class does."""
    given = {key: part if isinstance(part := values[key], dict) else {}
             for key in ("encoder_config", "decoder_config")}  # fmt: skip
    heard = {**PARAKEET_ENCODER.facts["keys"], **given["encoder_config"]}["hidden_size"]
    writing = {**DECODER.facts["keys"], **given["decoder_config"]}
    for name, meant in (("hidden_size", heard), ("vocab_size", values["vocab_size"])):
        if writing[name] != meant:
            raise BadInput(
                f"{name} = {written(writing[name])} of decoder_config does not fit: "
                f"{written(meant)} does."
            )
    if heard % 2:
        raise BadInput(f"hidden_size = {heard} does not fit: half of it are sines, half cosines.")
    return {}


DECODER = Family(
    "canary_decoder",
    {},
    {
        "intermediate_size": SizeOf("d_dec"),
        "num_hidden_layers": SizeOf("L_dec"),
        "num_attention_heads": SizeOf("h_dec"),
        "num_key_value_heads": Ruled(),
        "head_dim": SizeOf("d_k"),
        "hidden_act": Acting("written_by"),
        "attention_bias": Choice("attention_bias", BOOLS),
        **dict.fromkeys((
            "vocab_size", "hidden_size", "max_position_embeddings", "initializer_range",
            "is_encoder_decoder", "use_cache", "attention_dropout",
        ), FREE),
        **UNTIED,
    },
    (Rule(("hidden_size", "num_attention_heads"), _heads),),
)  # fmt: skip
ATTENTIONS = {"self_attn": "attention", "encoder_attn": "cross_attention"}
LAYER: Tensors = {
    **maps(**{f"{theirs}__{x.lower()}_proj": f"{ours}.{x}"
              for theirs, ours in ATTENTIONS.items() for x in "QKVO"},
           mlp__fc1="feed_forward.1", mlp__fc2="feed_forward.2"),
    **norms(input_layernorm="norm_1", post_attention_layernorm="norm_2", final_layernorm="norm_3"),
}  # fmt: skip

CANARY = Family(
    "canary",
    {
        "CanaryForConditionalGeneration": Built("canary", {"head": "letters"}),
        "CanaryModel": Built("canary", {"head": "bare"}),
    },
    {
        "vocab_size": SizeOf("V"),
        "tie_word_embeddings": Choice("tied", BOOLS),
        **dict.fromkeys(("initializer_range", "is_encoder_decoder", "use_cache"), FREE),
    },
    (Rule(("encoder_config", "decoder_config", "vocab_size"), _fitting),),
    {
        **under("model.encoder.", "", SHORTENED),
        "model.decoder.embed_tokens.weight": ("token_embedding.E",),
        **norms(model__decoder__embedding_layernorm="embedding_norm",
                model__decoder__norm="final_norm"),
        **under("model.decoder.layers.*.", "decoder.", LAYER),
        "proj_out.weight": ("head.W",), "proj_out.bias": ("b",),
    },
    LENGTHS,
    parts={"encoder_config": replace(PARAKEET_ENCODER, implied={}, absent=DEEP),
           "decoder_config": DECODER},
)  # fmt: skip
