"""BlenderBot, large and small, in BART's words."""

from __future__ import annotations

from symledger.arguments.specs import SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_decoder_keys import HEADS, TABLES, TENSORS, WIDTHS, alone
from symledger.config_keys.encoder_keys import under
from symledger.config_keys.family import Built, Family


def _blenderbot(model_type: str, entry: str, name: str) -> Family:
    return Family(
        model_type,
        {
            f"{name}ForConditionalGeneration": Built(entry, {"head": "lm"}),
            f"{name}Model": Built(entry, {"head": "bare"}),
            f"{name}ForCausalLM": alone(entry),
        },
        {
            **WIDTHS,
            "max_position_embeddings": SizeOf("T_max", ("T", "S")),
            "tie_word_embeddings": TABLES,
            **dict.fromkeys((
                "add_bias_logits", "add_final_layer_norm", "do_blenderbot_90_layernorm",
                "extra_layer_norm", "extra_pos_embeddings", "force_bos_token_to_be_generated",
                "layernorm_variant", "normalize_before", "normalize_embedding",
                "static_position_embeddings", "unk_token_id",
            ), FREE),
        },
        tensors={**TENSORS, **under("model.", "", TENSORS), **HEADS},
    )  # fmt: skip


BLENDERBOT = _blenderbot("blenderbot", "blenderbot", "Blenderbot")
BLENDERBOT_SMALL = _blenderbot("blenderbot-small", "blenderbot_small", "BlenderbotSmall")
"""What older files say of norms and positions, no class of either reads."""
