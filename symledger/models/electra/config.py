"""ELECTRA: BERT's keys, and the width of its tables."""

from __future__ import annotations

from symledger.arguments.specs import Only, Settings, SizeOf
from symledger.config_keys.encoder_keys import (
    UNTIED,
    WIDTHS,
    classes,
    encoder,
    looking_back,
    maps,
    norms,
)
from symledger.config_keys.family import Built, Family, Rule, Values


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
    looking_back({
        **classes("electra", "Electra", "ForPreTraining", "ForCausalLM"),
        "ElectraForMultipleChoice": Built(
            "electra", {"head": "sequences", "Y": "1"}, uses=SUMMARY
        ),
    }),
    {**WIDTHS, "embedding_size": SizeOf("d_e")},
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
