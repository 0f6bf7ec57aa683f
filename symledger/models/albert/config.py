"""ALBERT: BERT's keys, and the width of its tables."""

from __future__ import annotations

from symledger.arguments.specs import Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import (
    CLASSIFIED,
    SECOND,
    TABLES,
    WIDTHS,
    classes,
    maps,
    norms,
    under,
)
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.errors import BadInput

LAYERS = {
    **maps(
        attention__query="attention.Q", attention__key="attention.K",
        attention__value="attention.V", attention__dense="attention.O",
        ffn="feed_forward.1", ffn_output="feed_forward.2",
    ),
    **norms(attention__LayerNorm="norm_1", full_layer_layer_norm="norm_2"),
}  # fmt: skip


def _used(values: Values) -> Settings:
    """Refuse more groups than layers: those that are left over would be used by nothing."""
    groups, layers = (size(x, values[x]) for x in ("num_hidden_groups", "num_hidden_layers"))
    if groups > layers:
        raise BadInput(
            f"num_hidden_groups = {groups} does not fit num_hidden_layers = {layers}: a layer uses "
            f"one group, so nothing would use the weights of {groups - layers}. Choose at most "
            f"{layers} groups."
        )
    return {}


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
    rules=(Rule(("num_hidden_groups", "num_hidden_layers"), _used),),
    tensors={
        **under("albert.embeddings.", "", TABLES),
        **maps(albert__encoder__embedding_hidden_mapping_in="projection",
               albert__pooler="pooler.map", sop_classifier__classifier="next_head",
               predictions__dense="masked_head.map"),
        **norms(predictions__LayerNorm="masked_head.norm"),
        "predictions.bias": ("masked_head.b",), **under("predictions.", "", SECOND),
        **under("albert.encoder.albert_layer_groups.*.albert_layers.*.", "groups.group.layer.",
                LAYERS),
        **CLASSIFIED,
    },
)  # fmt: skip
"""What its first configurations say of memories, gaps and nets was never read."""
