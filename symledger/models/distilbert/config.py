"""DistilBERT: sizes with names of its own."""

from __future__ import annotations

from symledger.arguments.specs import SizeOf
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.encoder_keys import CLASSIFIED, classes, maps, norms, under
from symledger.config_keys.family import Family

LAYER = {
    **maps(
        attention__q_lin="attention.Q", attention__k_lin="attention.K",
        attention__v_lin="attention.V", attention__out_lin="attention.O",
        ffn__lin1="feed_forward.1", ffn__lin2="feed_forward.2",
    ),
    **norms(sa_layer_norm="norm_1", output_layer_norm="norm_2"),
}  # fmt: skip

DISTILBERT = Family(
    "distilbert",
    classes("distilbert", "DistilBert", "ForMultipleChoice"),
    {
        "vocab_size": SizeOf("V"),
        "max_position_embeddings": SizeOf("T_max", ("T",)),
        "sinusoidal_pos_embds": FREE,
        "n_layers": SizeOf("L"),
        "n_heads": SizeOf("h"),
        "dim": SizeOf("d"),
        "hidden_dim": SizeOf("d_ff"),
        "activation": Acting(),
        "tie_word_embeddings": TIED,
        "tie_weights_": FREE,
        "output_past": FREE,
    },
    tensors={
        "distilbert.embeddings.word_embeddings.weight": ("token_embedding.E", "E"),
        "distilbert.embeddings.position_embeddings.weight": ("positions.P",),
        **norms(distilbert__embeddings__LayerNorm="embedding_norm"),
        **under("distilbert.transformer.layer.*.", "block.", LAYER),
        **maps(pre_classifier="pooler.map", vocab_transform="masked_head.map"),
        **norms(vocab_layer_norm="masked_head.norm"),
        "vocab_projector.weight": ("masked_head.table.W",),
        "vocab_projector.bias": ("masked_head.b",),
        **CLASSIFIED,
    },
)
"""Sinusoids are how its table of positions may begin; it is a table of weights all the same."""
