"""What configurations of encoder-decoders say in the same words."""

from __future__ import annotations

from symledger.arguments.specs import Choice, Only, SizeOf
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Several

HEADS: Tensors = {
    "lm_head.weight": ("head.W",),
    "proj_out.weight": ("head.W",),
    **maps(classification_head__dense="pooler.map", classification_head__out_proj="classifier",
           classifier="classifier", qa_outputs="classifier"),
}  # fmt: skip


def layers(stack: str, ours: str) -> Tensors:
    """Return what stands behind the weights of a stack, which has positions called so here."""
    attentions = {"self_attn": "attention", "encoder_attn": "cross_attention"}
    found: Tensors = {}
    for theirs, attention in attentions.items():
        for x in ("q", "k", "v", "out"):
            name = "O" if x == "out" else x.upper()
            found.update(maps(**{f"{theirs}__{x}_proj": f"{attention}.{name}"}))
    last = "norm_3" if stack == "decoder" else "norm_2"
    found.update(maps(fc1="feed_forward.1", fc2="feed_forward.2"))
    found.update(norms(self_attn_layer_norm="norm_1", encoder_attn_layer_norm="norm_2",
                       final_layer_norm=last))  # fmt: skip
    return {
        **under(f"{stack}.layers.*.", f"{stack}.", found),
        f"{stack}.embed_positions.weight": (f"{ours}_positions.P",),
        **norms(**{f"{stack}__layernorm_embedding": f"{ours}_norm",
                   f"{stack}__layer_norm": f"{stack}_norm"}),
    }  # fmt: skip


WIDTHS = {
    "vocab_size": SizeOf("V"),
    "d_model": SizeOf("d"),
    "encoder_layers": SizeOf("L_enc"),
    "encoder_attention_heads": SizeOf("h"),
    "encoder_ffn_dim": SizeOf("d_ff"),
    "decoder_layers": SizeOf("L_dec"),
    "decoder_attention_heads": SizeOf("h_dec"),
    "decoder_ffn_dim": SizeOf("d_dec"),
    "activation_function": Acting(),
    "scale_embedding": FREE,
    "is_decoder": FREE,
    "is_encoder_decoder": Only(
        (True,), "keys and values of the source and of what was written are kept apart"
    ),
    "init_std": FREE,
    "encoder_layerdrop": FREE,
    "decoder_layerdrop": FREE,
    "dropout": FREE,
    "classif_dropout": FREE,
    "output_past": FREE,
}
"""The sizes of an encoder-decoder as BART's configuration names them. Which stack is a decoder is
no matter of what is said: one has both, or a class that is the decoder alone."""

TABLES = Several((TIED, Choice("tables", {True: "shared", False: "spare"})))
"""Whose table of tokens is whose: with nothing tied each stack has its own and so has the head,
beside the one that they would share, which nothing uses."""

ALONE = {
    "is_encoder_decoder": FREE,
    **dict.fromkeys(
        (f"encoder_{x}" for x in ("layers", "attention_heads", "ffn_dim")), FREE
    ),
    "tie_word_embeddings": TIED,
}
"""What a decoder alone, which is given the memory that it attends to, reads otherwise.

Its file does not say how long that is: S stays open, and no number that depends on it is told until
it is set.
"""


def alone(entry: str) -> Built:
    """Return what a class builds that is the decoder alone."""
    return Built(entry, {"head": "lm", "alone": "true"}, uses={
        **ALONE, "max_position_embeddings": SizeOf("T_max", ("T",)),
    })  # fmt: skip


TENSORS: Tensors = {
    "shared.weight": ("source_embedding.E", "E_idle"),
    "encoder.embed_tokens.weight": ("source_embedding.E",),
    "decoder.embed_tokens.weight": ("token_embedding.E",),
    **layers("encoder", "source"), **layers("decoder", "token"),
}  # fmt: skip
