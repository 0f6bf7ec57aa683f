"""ESM: BERT's keys, and how amino acids are placed."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import Choice, Only, Settings, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import (
    SECOND,
    WIDTHS,
    classes,
    encoder,
    maps,
    norms,
    under,
)
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.errors import BadInput

PLACED: Mapping[object, str] = {"rotary": "rotary", "absolute": "learned"}


def _longest(values: Values) -> Settings:
    """Say how long a sequence is: a table begins with rows for padding.

    Raises:
        BadInput: the row of padding is another one than that of all that is published.
    """
    rows = size("max_position_embeddings", values["max_position_embeddings"], 3)
    if values["position_embedding_type"] != "absolute":
        return {"T": str(rows)}
    if values["pad_token_id"] != 1:
        raise BadInput(
            f"pad_token_id = {written(values['pad_token_id'])} is not supported with a table of "
            "positions: they are counted from behind row 1. Say 1."
        )
    return {"T_max": str(rows), "T": str(rows - 2)}


ESM = Family(
    "esm",
    {name: built for name, built in classes("esm", "Esm").items() if "Question" not in name},
    {
        **{name: use for name, use in WIDTHS.items()
           if name not in ("type_vocab_size", "hidden_act")},
        "is_decoder": Only((False,), "tokens would see none after them"),
        "position_embedding_type": Choice("positions", PLACED),
        "emb_layer_norm_before": Choice("embedding_norm", {
            None: "false", False: "false", True: "true"}),
        "max_position_embeddings": Ruled(),
        "token_dropout": Only((False, True)),
        "is_folding_model": Only((False,), "a network that folds would follow"),
        **dict.fromkeys(
            ("esmfold_config", "vocab_list", "mask_token_id", "pad_token_id"), FREE
        ),
    },
    rules=(Rule(("position_embedding_type", "pad_token_id"), _longest),),
    tensors={
        **{name: ours for name, ours in encoder("esm", {
            **maps(esm__pooler__dense="pooler.map", classifier__dense="pooler.map",
                   classifier__out_proj="classifier", lm_head__dense="masked_head.map"),
            **norms(lm_head__layer_norm="masked_head.norm",
                    esm__embeddings__layer_norm="embedding_norm",
                    esm__encoder__emb_layer_norm_after="final_norm",
                    **{"esm__encoder__layer__*__attention__LayerNorm": "block.norm_1",
                       "esm__encoder__layer__*__LayerNorm": "block.norm_2"}),
            "lm_head.bias": ("masked_head.b",), **under("lm_head.", "", SECOND),
            "esm.contact_head.regression.weight": ("W_touching",),
            "esm.contact_head.regression.bias": ("b_touching",),
        }).items() if "output.LayerNorm" not in name},
    },
)  # fmt: skip
