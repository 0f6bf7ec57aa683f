"""Aria: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only, Remark, Settings, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    TOWER,
    decoding,
    generating,
    grid,
    lasting,
    within,
)
from symledger.config_keys.tower_keys import norm
from symledger.errors import BadInput
from symledger.models.glm4_moe.config import ARIA_TEXT
from symledger.models.idefics3.config import UNREAD_IMAGE
from symledger.models.siglip import config as siglip

USUAL = {"1225": 128, "4900": 256}
"""How many vectors look at so many patches, where nothing is said (transformers 5.23)."""
TEXT = decoding(ARIA_TEXT)
VISION = replace(
    siglip.IDEFICS3, uses={**siglip.IDEFICS3.uses, **TOWER, **UNREAD_IMAGE},
)  # fmt: skip
ASKED = "projector_patch_to_query_dict"
LEARNED = f"max_value_{ASKED}"
"""How many vectors the table has: the largest number of them, which files repeat."""


def asking(values: Values) -> tuple[int, int | None]:
    """Return how many vectors are learned, and how many look at an image of this size, if any do.

    Raises:
        BadInput: it says no numbers of vectors by numbers of patches, or repeats another maximum.
    """
    said = USUAL if values.get(ASKED) is None else values[ASKED]
    if not isinstance(said, dict) or not said:
        raise BadInput(f"{ASKED} = {written(said)} is no dictionary: vectors by patches.")
    found = {str(patches): size(ASKED, number) for patches, number in said.items()}
    most, cut = max(found.values()), grid(values, TEXT, VISION)
    if values.get(LEARNED) not in (None, most):
        raise BadInput(
            f"{LEARNED} = {written(values[LEARNED])} is not the largest number of vectors that "
            f"{ASKED} says, {most}. Leave it out."
        )
    return most, found.get(str(int(cut["H_p"]) * int(cut["W_p"])))


def _looking(values: Values) -> Settings:
    """Return how many patches an image has, and how many vectors look at it."""
    every, some = asking(values)
    fills = every if some is None else some
    cut = grid(values, TEXT, VISION)
    return {**cut, "N_q": str(every), "T_tok": str(fills), **lasting(values, TEXT, fills)}


def unasked(values: Values) -> Remark | None:
    """Say of a number of patches that nothing is said of what becomes of it."""
    return Remark("patches_unasked") if asking(values)[1] is None else None


PROJECTOR = {
    "query": ("projector.queries",),
    **{f"cross_attn.{x.lower()}_proj.weight": (f"projector.{x}.W",) for x in "QKV"},
    **{f"cross_attn.multihead_attn.in_proj_{said}": tuple(
        f"projector.attention.{x}.{y}" for x in "QKV"
    ) for said, y in (("weight", "W"), ("bias", "b"))},
    **{f"cross_attn.{name}.{said}": (f"projector.{part}.{y}",)
       for name, part in (("multihead_attn.out_proj", "attention.O"), ("linear", "O"))
       for said, y in (("weight", "W"), ("bias", "b"))},
    **norm("cross_attn.layer_norm", "projector.query_norm"),
    **norm("cross_attn.layer_norm_kv", "projector.key_norm"),
    **norm("layer_norm", "projector.norm"),
    "feed_forward.linear_in.weight": ("projector.network.1.W",),
    "feed_forward.linear_out.weight": ("projector.network.2.W",),
}  # fmt: skip
ARIA = Family(
    "aria",
    {name: replace(built, remarks={ASKED: unasked})
     for name, built in generating("aria", "Aria").items()},
    {
        **TIED, ASKED: Ruled(), LEARNED: Ruled(),
        "vision_feature_layer": Only((-1,), "the last block of the encoder is read"),
        **dict.fromkeys(("vocab_size", "ignore_index"), FREE),
    },
    (Rule((), _looking),),
    {
        **within("model.language_model.", ARIA_TEXT.tensors),
        **siglip.image("model.vision_tower.", "tower."),
        **{f"model.multi_modal_projector.{name}": ours for name, ours in PROJECTOR.items()},
    },
    implied=ONE_IMAGE, parts={"text_config": TEXT, "vision_config": VISION},
)  # fmt: skip
