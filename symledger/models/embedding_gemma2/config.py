"""EmbeddingGemma 2 (text): Gemma 4's keys of an encoder, whose windows lie on either side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Settings, SizeOf, Use, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import layers
from symledger.config_keys.expert_keys import LAYER
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import within
from symledger.config_keys.window_keys import listed
from symledger.models.gemma4.config import APART, EVERY, GLOBAL, KEYS, RULES, TENSORS, wider


def _seen(values: Values) -> list[bool]:
    """Return which layers of an encoder have a window: never the last one."""
    every = size("sliding_window_pattern", values.get("sliding_window_pattern", EVERY))
    number, types = layers(values), values.get("layer_types")
    unsaid = [(i + 1) % every != 0 for i in range(number)]
    return [*(unsaid if types is None else listed(types, number))[:-1], False]


def _radius(values: Values) -> Settings:
    """Say how many layers have a window, of which so many positions lie on either side."""
    near = sum(_seen(values))
    w = size("sliding_window", values["sliding_window"], least=0) + 1
    return {"windows": "some", "L_w": str(near), "w_max": str(w)} if near else {"windows": "none"}


def _both(values: Values) -> Settings:
    """Return heads of layers that see everything: one of keys and values, where it is not said."""
    width = values.get("global_head_dim", GLOBAL)
    return wider(values, _seen(values), width, values.get("num_global_key_value_heads", 1))


USES: Mapping[str, Use] = {
    **{key: use for key, use in KEYS.items() if key not in (
        "attention_k_eq_v", "num_kv_shared_layers", "use_double_wide_mlp", "tie_word_embeddings",
        "use_bidirectional_attention", "final_logit_softcapping",
    )},
    "sliding_window_pattern": Ruled(),
    "hidden_size_per_layer_input": SizeOf("d_ple"),
    "embedding_dim": SizeOf("d_proj"),
}  # fmt: skip
FED = "per_layer_input_gate", "per_layer_projection", "post_per_layer_input_norm"
OURS = {
    **TENSORS,
    **{f"{LAYER}ple_block.{name}.weight": TENSORS[f"{LAYER}{name}.weight"] for name in FED},
    "model.ple.per_layer_model_projection.weight": ("tables.map.W",),
    "model.ple.per_layer_projection_norm.weight": ("tables.norm.g",),
    "model.embedding_projection.weight": ("embedding.W",),
}  # fmt: skip
EMBEDDING_GEMMA2 = Family(
    "embedding_gemma2_text",
    {"EmbeddingGemma2TextModel": Built("embedding_gemma2")},
    USES,
    (Rule(("num_hidden_layers",), _radius), replace(RULES[1], read=_both)),
    OURS,
)
EMBEDDING_GEMMA2_WHOLE = Family(
    "embedding_gemma2",
    {"EmbeddingGemma2Model": Built("embedding_gemma2")},
    {"vision_config": APART, "audio_config": APART, "initializer_range": FREE},
    (),
    within("model.language_model.", OURS),
    parts={"text_config": EMBEDDING_GEMMA2},
)
