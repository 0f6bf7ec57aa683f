"""ALBERT and ELECTRA: BERT's keys, and the width of their tables."""

from __future__ import annotations

from symledger.catalogue.argument_specs import Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.encoder_keys import (
    CLASSIFIED,
    TABLES,
    UNTIED,
    WIDTHS,
    classes,
    encoder,
    maps,
    norms,
    under,
)
from symledger.config_keys.family import Built, Family, Rule, Values

LAYERS = {
    **maps(
        attention__query="attention.Q", attention__key="attention.K",
        attention__value="attention.V", attention__dense="attention.O",
        ffn="feed_forward.1", ffn_output="feed_forward.2",
    ),
    **norms(attention__LayerNorm="norm_1", full_layer_layer_norm="norm_2"),
}  # fmt: skip

ALBERT = Family(
    "albert",
    {
        **classes("albert", "Albert", "ForMultipleChoice"),
        "AlbertForPreTraining": Built("albert", {"head": "pretraining"}, labels=True),
    },
    {
        **WIDTHS,
        "is_decoder": FREE,
        "embedding_size": SizeOf("d_e"),
        "num_hidden_groups": SizeOf("L_g"),
        "inner_group_num": SizeOf("L_in"),
        "down_scale_factor": FREE,
        "gap_size": FREE,
        "layers_to_keep": FREE,
        "net_structure_type": FREE,
        "num_memory_blocks": FREE,
    },
    tensors={
        **under("albert.embeddings.", "", TABLES),
        **maps(albert__encoder__embedding_hidden_mapping_in="projection",
               albert__pooler="pooler.map", sop_classifier__classifier="next_head",
               predictions__dense="masked_head.map"),
        **norms(predictions__LayerNorm="masked_head.norm"),
        "predictions.bias": ("masked_head.b",),
        **under("albert.encoder.albert_layer_groups.*.albert_layers.*.", "groups.group.layer.",
                LAYERS),
        **CLASSIFIED,
    },
)  # fmt: skip
"""What its first configurations say of memories, gaps and nets was never read."""


def _narrow(values: Values) -> Settings:
    """ELECTRA maps what its tables give only where their width is another one."""
    return {"narrow": str(values["embedding_size"] != values["hidden_size"]).lower()}


SUMMARY = {
    "summary_type": Only(("first",)),
    "summary_use_proj": Only((True,)),
    "summary_proj_to_labels": Only((False, None)),
    "summary_activation": Only(("gelu",)),
    **UNTIED,
}
"""What the class for multiple choice pools by; other classes read none of it."""

ELECTRA = Family(
    "electra",
    {
        **classes("electra", "Electra", "ForPreTraining", "ForCausalLM"),
        "ElectraForMultipleChoice": Built(
            "electra", {"head": "sequences", "Y": "1"}, uses=SUMMARY
        ),
    },
    {**WIDTHS, "embedding_size": SizeOf("d_e"), "tie_word_embeddings": TIED},
    rules=(Rule(("embedding_size", "hidden_size"), _narrow),),
    tensors=encoder("electra", {
        **maps(electra__embeddings_project="projection",
               discriminator_predictions__dense="replaced_map",
               discriminator_predictions__dense_prediction="replaced_head",
               generator_predictions__dense="masked_head.map",
               sequence_summary__summary="pooler.map",
               classifier__dense="pooler.map", classifier__out_proj="classifier"),
        **norms(generator_predictions__LayerNorm="masked_head.norm"),
        "generator_lm_head.bias": ("masked_head.b",),
        "generator_lm_head.weight": ("masked_head.table.W",),
    }),
)  # fmt: skip
