"""LayoutLM: BERT's keys, and how long its tables of places are."""

from __future__ import annotations

from symledger.arguments.specs import SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import MASKED, WIDTHS, classes, encoder, maps, under
from symledger.config_keys.family import Family

LAYOUTLM = Family(
    "layoutlm",
    classes("layoutlm", "LayoutLM"),
    {**WIDTHS, "is_decoder": FREE, "max_2d_position_embeddings": SizeOf("n_pos")},
    tensors=encoder(
        "layoutlm", maps(layoutlm__pooler__dense="pooler.map"),
        under("cls.predictions.", "", MASKED),
        {f"layoutlm.embeddings.{x}_position_embeddings.weight": (f"{x}_0.P_{x.upper()}",)
         for x in "xyhw"},
    ),
)  # fmt: skip
