"""Pegasus and Marian: BART's keys, and sinusoids for positions."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_decoder_keys import HEADS, TABLES, TENSORS, WIDTHS, alone
from symledger.config_keys.encoder_keys import Tensors, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput

SINUSOIDS: Tensors = {
    **TENSORS,
    "encoder.embed_positions.weight": ("P_enc",), "decoder.embed_positions.weight": ("P_dec",),
}  # fmt: skip


def _placed(model_type: str, causal: str, name: str, post: bool) -> Family:
    """A family with sinusoids."""
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
            "tie_word_embeddings": TABLES,
            "share_encoder_decoder_embeddings": FREE,
            "decoder_vocab_size": FREE,
            "normalize_before": Only((not post,)),
            "add_final_layer_norm": Only((not post,)),
            "normalize_embedding": Only((False,)),
            "static_position_embeddings": Only((True,)),
            "add_bias_logits": Only((False,)),
            "extra_pos_embeddings": FREE,
            "force_bos_token_to_be_generated": FREE,
        },
        tensors={**SINUSOIDS, **under("model.", "", SINUSOIDS), **HEADS},
    )


def _words(values: Values) -> tuple[int, int]:
    """Return how many words a source is written in, and how many the decoder reads."""
    V = size("vocab_size", values["vocab_size"])
    own = values["decoder_vocab_size"]
    return V, V if own is None else size("decoder_vocab_size", own)


def _owned(values: Values) -> int:
    """Return how many words the decoder reads from a table of its own, that of padding included.

    Raises:
        BadInput: the row of padding lies outside of it.
    """
    own, row = _words(values)[1], values["pad_token_id"]
    if type(row) is int and not -own <= row < own:
        raise BadInput(
            f"pad_token_id = {row} lies outside of the decoder's table of {own} rows, which is as "
            "long as decoder_vocab_size: no such model can be built. Choose another of the two."
        )
    return own


def _tables(values: Values) -> Settings:
    """Say whose table is whose: shared, both stacks read the words of the source."""
    V, own = _words(values)
    shared, tied = (values[x] for x in ("share_encoder_decoder_embeddings", "tie_word_embeddings"))
    if not shared:
        return {"tables": "apart", "V_dec": str(_owned(values))}
    if tied is not False:
        return {"tables": "shared"}
    if own != V:
        raise _others(V, own)
    return {"tables": "spare"}


def _written(values: Values) -> Settings:
    """Say how many words the decoder alone has: those of its own."""
    V, own = _words(values)
    if values["tie_word_embeddings"] is False and own != V:
        raise _others(V, own)
    return {"V": str(_owned(values)), "tables": "shared"}


def _others(V: int, own: int) -> BadInput:
    return BadInput(
        f"decoder_vocab_size = {own} with tie_word_embeddings = false is not supported here: the "
        f"head would score {V} words, those of vocab_size, and the decoder read {own}."
    )


PEGASUS = _placed("pegasus", "PegasusForConditionalGeneration", "Pegasus", post=False)
def _marian() -> Family:
    """Return what reads Marians: a Pegasus with norms behind, and with tables of its own."""
    placed = _placed("marian", "MarianMTModel", "Marian", post=True)
    return replace(
        placed,
        builds={
            name: replace(
                built, rules=(Rule((), _written if "alone" in built.options else _tables),)
            )
            for name, built in placed.builds.items()
        },
        uses={
            **placed.uses,
            **dict.fromkeys(("share_encoder_decoder_embeddings", "decoder_vocab_size"), Ruled()),
        },
    )


MARIAN = _marian()
"""The decoder of a Marian may have a table of its own, of words of its own; Pegasus reads no key of
these."""


M2M_100 = Family(
    "m2m_100",
    {
        "M2M100ForConditionalGeneration": Built("m2m_100", {"head": "lm"}),
        "M2M100Model": Built("m2m_100", {"head": "bare"}),
    },
    {
        **WIDTHS,
        "max_position_embeddings": SizeOf("S", ("T",)),
        "tie_word_embeddings": TABLES,
    },
    tensors={**TENSORS, **under("model.", "", TENSORS), **HEADS},
)
"""Its positions are computed, whatever their number."""
