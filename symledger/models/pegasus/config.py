"""Pegasus and Marian: BART's keys, and sinusoids for positions."""

from __future__ import annotations

from symledger.arguments.specs import Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_decoder_keys import HEADS, TENSORS, WIDTHS, alone
from symledger.config_keys.encoder_keys import Tensors, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput, shown

SINUSOIDS: Tensors = {
    **TENSORS,
    "encoder.embed_positions.weight": ("P_enc",), "decoder.embed_positions.weight": ("P_dec",),
}  # fmt: skip


def _placed(model_type: str, causal: str, name: str, post: bool) -> Family:
    """A family with sinusoids, whose tables are one: with several they would not be tied."""
    return Family(
        model_type,
        {
            causal: Built(model_type, {"head": "lm"}),
            f"{name}Model": Built(model_type, {"head": "bare"}),
            f"{name}ForCausalLM": alone(model_type),
        },
        {
            **WIDTHS,
            "max_position_embeddings": SizeOf("T_max", ("T", "S")),
            "tie_word_embeddings": Only((True,)),
            "share_encoder_decoder_embeddings": Only((True,)),
            "decoder_vocab_size": Ruled(),
            "normalize_before": Only((not post,)),
            "add_final_layer_norm": Only((not post,)),
            "normalize_embedding": Only((False,)),
            "static_position_embeddings": Only((True,)),
            "add_bias_logits": Only((False,)),
            "extra_pos_embeddings": FREE,
            "force_bos_token_to_be_generated": FREE,
        },
        rules=(Rule(("vocab_size",), _one_vocabulary),),
        tensors={**SINUSOIDS, **under("model.", "", SINUSOIDS), **HEADS},
    )


def _one_vocabulary(values: Values) -> Settings:
    """The decoder writes in the words of the encoder."""
    other = values.get("decoder_vocab_size")
    if other not in (None, values["vocab_size"]):
        raise BadInput(
            f"decoder_vocab_size = {shown(str(other))} is not supported: one vocabulary is, of "
            f"vocab_size = {shown(str(values['vocab_size']))}."
        )
    return {}


PEGASUS = _placed("pegasus", "PegasusForConditionalGeneration", "Pegasus", post=False)
MARIAN = _placed("marian", "MarianMTModel", "Marian", post=True)
